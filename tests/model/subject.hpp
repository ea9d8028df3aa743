/// A type-erased allocator under test, so that the suite is compiled once for all allocators.
#pragma once

#include "equipment/ledger.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace model {

class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;

    /// Effects: releases the allocator and the allocators below it. No effect for an upstream.
    virtual void release() noexcept = 0;

    /// Returns: true if release() and the destructor return blocks that were not deallocated.
    [[nodiscard]] virtual bool can_release() const noexcept { return true; }
};

/// Constructs a subject that allocates from the ledger. The ledger must outlive it.
using make_subject = std::function<std::unique_ptr<subject>(equipment::ledger&)>;

} // namespace model

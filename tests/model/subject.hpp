/// An allocator under test, without its type, so that one suite is compiled once and tests all.
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

    /// Effects: releases the allocator and those that it is built on. Nothing for a mere upstream.
    virtual void release() noexcept = 0;

    /// Returns: true if release() and the end of the subject return blocks that were not deallocated.
    [[nodiscard]] virtual bool can_release() const noexcept { return true; }
};

/// Makes a subject that takes its memory from the ledger, which outlives it.
using make_subject = std::function<std::unique_ptr<subject>(equipment::ledger&)>;

} // namespace model

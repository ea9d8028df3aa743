/// A type-erased allocator with all its operations, so that one loop of random operations serves all allocators.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/adapt/failing.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace soak {

/// The optional operations of an allocator.
struct abilities {
    bool releases = false;
    bool rewinds = false;      ///< and marks, and rolls back
    bool bursts = false;       ///< blocks of one size
    bool mixed_bursts = false; ///< blocks of many
    bool expands = false;      ///< and shrinks
    bool resizes_last = false;
    bool trims = false;
    bool threads = false; ///< may share it
    bool looks = false;   ///< at itself, for damage
};

/// Operations that the mechanism lacks have no effect.
class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    [[nodiscard]] virtual abilities able() const noexcept = 0;

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;

    [[nodiscard]] virtual mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment,
                                                             std::size_t count) = 0;
    virtual void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes,
                                 std::size_t alignment) noexcept = 0;
    [[nodiscard]] virtual mallard::block_chain allocate_many(std::span<const std::size_t> sizes,
                                                             std::size_t alignment) = 0;
    virtual void deallocate_many(mallard::block_chain&& blocks) noexcept = 0;

    virtual mallard::expansion_result expand(void* p, const mallard::expansion_request& request,
                                             bool quietly) = 0;
    virtual std::size_t shrink(void* p, std::size_t bytes) noexcept = 0;
    [[nodiscard]] virtual bool resize_last(void* p, std::size_t old_bytes,
                                           std::size_t new_bytes) noexcept = 0;

    /// Effects: releases the allocator and those below it.
    virtual void release() noexcept = 0;
    virtual void rewind() noexcept = 0;
    virtual void trim() noexcept = 0;

    /// Effects: adds a mark of the allocator's present state to the marks.
    virtual void mark() = 0;
    /// Effects: goes back to the i-th mark and forgets those behind it.
    virtual void roll_back(std::size_t i) noexcept = 0;

    /// Effects: requests fail by this plan: those of the allocator, or those of its failing adaptor.
    virtual void fail(mallard::failure_plan plan) noexcept = 0;

    /// Returns: the damage that the allocator finds in itself, or null.
    [[nodiscard]] virtual const char* damage() const noexcept = 0;
};

/// The largest requests for a kind of allocator.
struct bounds {
    std::size_t bytes = std::size_t{100} << 10; ///< of a block
    std::size_t alignment = 4096;
    std::size_t live_blocks = 4096;
    std::size_t live_bytes = std::size_t{8} << 20;
    /// For an allocator that reuses no memory: it is released at this bound.
    std::size_t release_bytes = std::size_t{8} << 20;
    bool may_refuse = false;  ///< because it is bounded itself
    bool uses_again = true;   ///< freed blocks
    std::size_t slowness = 1; ///< the divisor of its operations in a turn
};

struct kind {
    std::string allocator;
    std::string adaptor;
    std::string binding;
    bounds most;
    std::function<std::unique_ptr<subject>(equipment::ledger&)> make;

    [[nodiscard]] std::string name() const { return allocator + "/" + adaptor + "/" + binding; }
};

/// The kinds of the program: each source file of kinds adds its own before main().
[[nodiscard]] inline std::vector<kind>& kinds() {
    static std::vector<kind> all;
    return all;
}

} // namespace soak

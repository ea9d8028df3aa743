/// A type-erased allocator with all its operations, so that each suite is compiled once for all allocators.
#pragma once

#include "equipment/ledger.hpp"

#include <mallard/adapt/failing.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/stats.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace model {

class shadow;

/// The optional operations of an allocator.
struct abilities {
    bool releases = false;
    bool rewinds = false;      ///< and marks, and rolls back
    bool bursts = false;       ///< blocks of one size
    bool mixed_bursts = false; ///< blocks of many
    bool expands = false;      ///< and shrinks
    bool resizes_last = false;
    bool tries = false;   ///< has try_allocate()
    bool threads = false; ///< may share it
    bool walks = false;   ///< its blocks, which are exactly those of its callers
    bool owns = false;    ///< knows its memory by an address
    bool counts = false;  ///< the bytes in use, which are exactly those of its callers
};

/// Operations that the mechanism lacks have no effect.
class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    [[nodiscard]] virtual abilities able() const noexcept { return {}; }

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;

    [[nodiscard]] virtual void* try_allocate(std::size_t, std::size_t) noexcept { return nullptr; }
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;

    /// Effects: releases the allocator and those below it. No effect for an upstream.
    virtual void release() noexcept = 0;
    virtual void rewind() noexcept { release(); }
    virtual void trim() noexcept {}

    [[nodiscard]] virtual mallard::block_chain allocate_many(std::size_t, std::size_t, std::size_t) {
        return {};
    }
    virtual void deallocate_many(mallard::block_chain&&, std::size_t, std::size_t) noexcept {}
    [[nodiscard]] virtual mallard::block_chain allocate_many(std::span<const std::size_t>, std::size_t) {
        return {};
    }
    virtual void deallocate_many(mallard::block_chain&&) noexcept {}

    /// Returns: a block of at least `bytes` bytes, by allocate() if the allocator has no such function.
    [[nodiscard]] virtual mallard::sized_block allocate_at_least(std::size_t bytes, std::size_t alignment) {
        return {allocate(bytes, alignment), bytes};
    }

    /// Requires, for these: the allocator is expandable.
    [[nodiscard]] virtual mallard::sized_block try_allocate_at_least(std::size_t, std::size_t) noexcept {
        return {};
    }
    virtual void deallocate(void*) noexcept {}
    [[nodiscard]] virtual std::size_t usable_bytes(const void*) const noexcept { return 0; }
    virtual mallard::expansion_result expand(void*, const mallard::expansion_request&) { return {}; }
    virtual mallard::expansion_result try_expand(void*, const mallard::expansion_request&) noexcept {
        return {};
    }
    virtual std::size_t shrink(void*, std::size_t) noexcept { return 0; }

    [[nodiscard]] virtual bool resize_last(void*, std::size_t, std::size_t) noexcept { return false; }

    /// Effects: adds a mark of the present state to the marks.
    virtual void mark() {}
    /// Effects: goes back to the i-th mark and forgets those behind it.
    virtual void roll_back(std::size_t) noexcept {}

    /// Effects: requests fail by this plan: those of the allocator, or those of its failing adaptor.
    virtual void fail(mallard::failure_plan) noexcept {}

    /// Effects: changes the bounds of the memory below the allocator, in a way that the number decides.
    virtual void change_memory(std::size_t) noexcept {}

    [[nodiscard]] virtual mallard::allocator_stats stats() const noexcept { return {}; }

    [[nodiscard]] virtual bool owns(const void*) const noexcept { return false; }

    /// Returns: the bytes in use of an allocator that counts them.
    [[nodiscard]] virtual std::size_t bytes_in_use() const noexcept { return 0; }

    /// Returns: the damage that the allocator finds in itself, or a difference between its blocks and the shadow if it
    /// walks; else null.
    [[nodiscard]] virtual const char* damage(const shadow&) const noexcept { return nullptr; }

    /// Returns: a fault of an allocator that walks and has no blocks in use, or null.
    [[nodiscard]] virtual const char* remains() noexcept { return nullptr; }

    /// Returns: the bytes of the largest free block of an allocator that walks.
    [[nodiscard]] virtual std::size_t largest_free_bytes() const noexcept { return 0; }

    /// No effect unless the allocator is checked.
    virtual void check() const noexcept {}
    virtual void set_quarantine(mallard::quarantine_bounds) noexcept {}
    virtual void expect_all_freed() const noexcept {}
    virtual void expect_all_freed_at_end() noexcept {}
};

/// Constructs a subject that allocates from the ledger, which must outlive it.
using make_subject = std::function<std::unique_ptr<subject>(equipment::ledger&)>;

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

} // namespace model

/// Bursts: many blocks at once, from any allocator:
///
///     mallard::block_chain nodes = mallard::allocate_many(pool, sizeof(node), alignof(node), 1000);
///     while (void* p = nodes.pop_front()) { ... }
///     mallard::deallocate_many(pool, std::move(nodes), sizeof(node), alignof(node));
///
/// An allocator that serves bursts faster than single requests has dedicated functions for them
/// (burst_allocator). The others get one request for each block. A block of a burst can be deallocated alone.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.
#pragma once

#include <mallard/core/block_chain.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/prefault.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::core { inline namespace MALLARD_MODE {

/// Throws: refused_request if a block has no room for a link; std::bad_alloc if the size of all blocks together
/// is not representable.
inline void expect_possible_burst(std::size_t bytes, std::size_t alignment, std::size_t count) {
    if (count == 0) {
        return;
    }
    if (bytes < sizeof(void*)) {
        refuse_burst(bytes, alignment);
    }
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / bytes) {
        fail_allocation(bytes, alignment);
    }
}

/// Blocks that are collected for a caller. The destructor gives them back, unless finish() has handed them out.
/// Each link is written once, when its target is known.
template <upstream A>
class unfinished_burst {
public:
    /// Requires: expect_possible_burst() accepts the burst.
    unfinished_burst(A& allocator, std::size_t bytes, std::size_t alignment) noexcept
        : allocator_(allocator), bytes_(bytes), alignment_(alignment), begin_(take_mark(allocator)) {}

    unfinished_burst(const unfinished_burst&) = delete;
    unfinished_burst& operator=(const unfinished_burst&) = delete;

    ~unfinished_burst() {
        block_chain blocks = finish();
        if constexpr (rolls_back) {
            if (!blocks.empty()) {
                allocator_.rollback(begin_);
                return;
            }
        }
        while (void* p = blocks.pop_front()) {
            give_back(allocator_, p, bytes_, alignment_);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    void add(void* p) noexcept {
        auto* const block = static_cast<free_block*>(p);
        if (size_ == 0) [[unlikely]] {
            first_ = block;
        } else {
            *as_link(last_) = block;
        }
        last_ = block;
        ++size_;
    }

    /// Effects: adds blocks that `carve(cursor)` cuts off the front of a room, until there are `count` blocks or
    /// the room is too short. Moves `room` behind them once, at the end: the compiler must assume that writing a
    /// link changes it.
    /// Returns: true if a block was added.
    template <class Carve>
    [[nodiscard]] bool add_carved(std::byte*& room, std::size_t count, Carve carve) noexcept {
        std::byte* cursor = room;
        const std::size_t old_size = size_;
        while (size_ != count) {
            void* const block = carve(cursor);
            if (block == nullptr) {
                break;
            }
            add(block);
        }
        room = cursor;
        return size_ != old_size;
    }

    /// Returns: the blocks, and keeps none.
    [[nodiscard]] block_chain finish() noexcept {
        if (size_ == 0) {
            return {};
        }
        *as_link(last_) = nullptr;
        return {first_, last_, std::exchange(size_, 0U)};
    }

private:
    struct no_mark {};

    /// True if a rollback gives the blocks back. Other threads of a thread-safe allocator may have allocated
    /// since.
    static constexpr bool rolls_back = rewindable<A> && !thread_safe<A>;

    [[nodiscard]] static auto take_mark([[maybe_unused]] const A& allocator) noexcept {
        if constexpr (rolls_back) {
            return allocator.mark();
        } else {
            return no_mark{};
        }
    }

    A& allocator_;
    std::size_t bytes_;
    std::size_t alignment_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] decltype(take_mark(std::declval<const A&>())) begin_;
    free_block* first_ = nullptr;
    free_block* last_ = nullptr;
    std::size_t size_ = 0;
};

template <class A>
unfinished_burst(A&, std::size_t, std::size_t) -> unfinished_burst<A>;

/// Calls `undo()` at its end, unless keep() was called.
template <class Undo>
class undone_unless_kept {
public:
    explicit undone_unless_kept(Undo undo) noexcept : undo_(undo) {}
    undone_unless_kept(const undone_unless_kept&) = delete;
    undone_unless_kept& operator=(const undone_unless_kept&) = delete;
    ~undone_unless_kept() {
        if (!kept_) {
            undo_();
        }
    }
    void keep() noexcept { kept_ = true; }

private:
    Undo undo_;
    bool kept_ = false;
};

template <class Undo>
undone_unless_kept(Undo) -> undone_unless_kept<Undo>;

/// Returns: `count` blocks from single requests, in their order.
template <upstream A>
[[nodiscard]] block_chain allocate_one_by_one(A& allocator, std::size_t bytes, std::size_t alignment,
                                              std::size_t count) {
    expect_possible_burst(bytes, alignment, count);
    unfinished_burst burst(allocator, bytes, alignment);
    while (burst.size() != count) {
        burst.add(allocator.allocate(bytes, alignment));
    }
    return burst.finish();
}

/// Effects: allocates `count` blocks, touches their pages, and makes them free.
/// Throws: the exceptions of allocate_many(); no block stays in use then.
template <burst_allocator A>
void reserve_by_burst(A& allocator, std::size_t bytes, std::size_t alignment, std::size_t count) {
    block_chain blocks = allocator.allocate_many(bytes, alignment, count);
    blocks.for_each([bytes](void* p) { // the links stay: each has touched the first word of its block
        prefault(static_cast<std::byte*>(p) + sizeof(void*), bytes - sizeof(void*));
    });
    allocator.deallocate_many(std::move(blocks), bytes, alignment);
}

}} // namespace mallard::core::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Returns: `count` blocks of `bytes` bytes each, at multiples of `alignment`. If a request fails, the earlier
/// blocks are deallocated, or a rewindable allocator is rolled back.
/// Requires: `alignment` is a power of two.
/// Throws: refused_request if `bytes` is less than the size of a pointer; the allocator's exceptions. No block is
/// lost.
/// Complexity: linear in the blocks.
template <upstream A>
[[nodiscard]] block_chain allocate_many(A& allocator, std::size_t bytes, std::size_t alignment,
                                        std::size_t count) {
    if constexpr (burst_allocator<A>) {
        return allocator.allocate_many(bytes, alignment, count);
    } else {
        return core::allocate_one_by_one(allocator, bytes, alignment, count);
    }
}

/// Effects: deallocates all blocks of the chain, in its order.
/// Requires: each came from `allocator`, of `bytes` bytes at `alignment`.
/// Complexity: linear in the blocks, apart from calls upstream.
template <upstream A>
void deallocate_many(A& allocator, block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (burst_allocator<A>) {
        allocator.deallocate_many(std::move(blocks), bytes, alignment);
    } else {
        const block_chain all = std::move(blocks);
        all.for_each([&](void* p) { core::give_back(allocator, p, bytes, alignment); });
    }
}

}} // namespace mallard::MALLARD_MODE

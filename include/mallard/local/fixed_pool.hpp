/// A pool of blocks of one size.
///
///     room:   [ block | block | block | free .................. ]      the arena's (local/arenas.hpp)
///                                     ^ cursor_                 ^ limit_
///     free_:  the free blocks, in the order of their reuse (reuse/order.hpp)
///
/// Data model: the type of the pool fixes the size, or its constructor, or else the first request. Smaller
/// requests get a whole block; larger ones, and those at a stricter alignment, are refused. A block has no
/// header, and no gap separates it from the next one. The arena decides the place of blocks and their largest
/// number: with a static_arena or a buffer_arena a pool needs no heap, and in static storage no code that runs
/// before main() or after it.
///
///     constinit mallard::fixed_pool_for<node, mallard::static_arena<4096>> nodes;
///
/// Invariants: blocks have at least the size of a pointer, and are multiples of 4 and of their alignment. The
/// room is poisoned from the cursor on. alignment_ is 0 until the size is fixed, so that the fast path serves no
/// request.
///
/// Source: Optimized C++ (2016), chapter 13, examples 13-1 to 13-4.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/block_size.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/checking/by_default.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/order.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace mallard::local { inline namespace MALLARD_MODE {

/// A size that never changes, and takes no memory.
template <block_size Size>
struct constant_size {
    static constexpr std::size_t bytes = Size.bytes;
    static constexpr std::size_t alignment = Size.alignment;

    constexpr constant_size(block_size) noexcept {} // NOLINT(google-explicit-constructor)
};

template <std::size_t Alignment>
struct constant_alignment {
    constexpr constant_alignment(std::size_t) noexcept {} // NOLINT(google-explicit-constructor)
    constexpr operator std::size_t() const noexcept {
        return Alignment;
    } // NOLINT(google-explicit-constructor)
};

/// The free blocks of a pool whose memory and size are part of the type, if the order has them.
template <class Reuse, std::size_t Bytes, bool IsStatic>
struct free_blocks_for {
    using type = typename Reuse::of_one_size;
};
template <class Reuse, std::size_t Bytes>
    requires requires { typename Reuse::template of_static_size<Bytes>; }
struct free_blocks_for<Reuse, Bytes, true> {
    using type = typename Reuse::template of_static_size<Bytes>;
};

}} // namespace mallard::local::MALLARD_MODE

namespace mallard::unchecked { inline namespace MALLARD_MODE {

/// `Size` is the size that a block must hold, if the type fixes it: a request then costs a comparison less. Not
/// thread-safe; neither copied nor moved, because bound containers point to it.
template <block_arena Arena, reuse_order Reuse, block_size Size>
class fixed_pool {
    static constexpr bool has_size = Size.bytes != 0;
    static constexpr block_size with_zones = has_size ? Size.with_zones() : block_size{};
    static constexpr block_size static_size = has_size ? Size.of_block() : block_size{sizeof(void*), 0};

    /// In static storage such a pool is all zeros: an executable file holds nothing of its memory.
    static constexpr bool is_static = has_size && requires { Arena::most_bytes; };
    using free_blocks_of_any_size = typename Reuse::of_one_size;
    using free_blocks_type = typename local::free_blocks_for<Reuse, static_size.bytes, is_static>::type;

    static_assert(Size.is_possible(), "mallard: no block can have this size and alignment");
    static_assert(
        local::may_hold_a_block<Arena, free_blocks_of_any_size>(static_size.bytes, static_size.alignment),
        "mallard: the arena is too small for one block of this pool, wherever it lies; make it larger, "
        "by as much as the alignment of an over-aligned block");

public:
    using arena_type = Arena;

    static constexpr bool has_fixed_blocks = true; ///< there is no room around a block

    /// The pool with room for guard zones around its blocks, in an arena for as many of them
    /// (impl/checking/pool_with_zones.hpp).
    template <class A = Arena>
        requires local::can_hold_larger_blocks<A>
    using with_room_for_zones =
        fixed_pool<typename A::template with_room_for<free_blocks_of_any_size, Size, with_zones>, Reuse,
                   with_zones>;

    /// Effects: makes a pool whose type fixes the size of its blocks, or else its first request. The arguments
    /// make the arena.
    template <class... ArenaArguments>
        requires std::is_constructible_v<Arena, ArenaArguments...>
    explicit constexpr fixed_pool(ArenaArguments&&... arena) noexcept
        : free_(static_size.bytes, static_size.alignment), alignment_(static_size.alignment),
          initial_size_(static_size), arena_(std::forward<ArenaArguments>(arena)...) {}

    /// Effects: makes a pool whose blocks hold `size`. The other arguments make the arena.
    /// Throws: refused_request, a std::bad_alloc whose what() names the reason, unless `size.is_possible()`.
    template <class... ArenaArguments>
        requires std::is_constructible_v<Arena, ArenaArguments...> && (Size.bytes == 0)
    explicit constexpr fixed_pool(block_size size, ArenaArguments&&... arena)
        : free_(core::expect_possible(size).bytes, size.of_block().alignment),
          alignment_(size.of_block().alignment), initial_size_(size.of_block()),
          arena_(std::forward<ArenaArguments>(arena)...) {}

    fixed_pool(const fixed_pool&) = delete;
    fixed_pool& operator=(const fixed_pool&) = delete;
    ~fixed_pool() = default; // trivial if the arena's is; the arena gives its memory back

    /// Returns: a block. The first request fixes the size and the alignment of all blocks, unless they are fixed.
    /// Throws: refused_request, a std::bad_alloc whose what() names the reason, if the request exceeds the size
    /// or the alignment of a block; std::bad_alloc if the arena is full; the exceptions of the arena's upstream.
    /// The pool is unchanged then.
    /// Complexity: constant, apart from calls upstream.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        if (serves(bytes, alignment)) [[likely]] {
            if (void* block = take()) [[likely]] {
                return hand_out(block, bytes);
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    /// Returns: a block of `bytes` bytes; null if there is no memory. The out-of-memory handler is not called.
    /// Complexity: constant, apart from calls upstream.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(is_power_of_two(alignment));
        void* block = serves(bytes, alignment) ? take() : nullptr;
        if (block == nullptr && try_to_take_room(bytes, alignment)) [[unlikely]] {
            block = take();
        }
        return block != nullptr ? hand_out(block, bytes) : nullptr;
    }

    /// Returns: a block of at least `bytes` bytes, and their number: the size of the blocks.
    /// Throws: the exceptions of allocate().
    /// Complexity: constant, apart from calls upstream.
    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment) {
        void* const block = allocate(bytes, alignment);
        hand_out(block, free_.block_bytes());
        return {block, free_.block_bytes()};
    }

    /// Effects: makes the block free.
    /// Requires: `p` came from allocate(bytes, alignment) of this pool and was not deallocated since.
    /// If it came from allocate_at_least(), `bytes` is any number from those requested to those returned.
    /// Complexity: constant.
    void deallocate(void* p, [[maybe_unused]] std::size_t bytes,
                    [[maybe_unused]] std::size_t alignment = fundamental_alignment) noexcept {
        MALLARD_EXPECTS(serves(bytes, alignment));
        core::expect_usable(p);
        free_.push(p);
    }

    /// Returns: a whole block, without a look at the size of the request. For callers that need blocks of the
    /// pool's size only.
    /// Requires: the size is fixed by the type, the constructor or an earlier request.
    /// Throws: std::bad_alloc if the arena is full; the exceptions of the arena's upstream.
    /// Complexity: constant, apart from calls upstream.
    [[nodiscard]] void* allocate_block() {
        MALLARD_EXPECTS(alignment_ != 0);
        if (void* block = take()) [[likely]] {
            return hand_out(block, free_.block_bytes());
        }
        return allocate_slowly(free_.block_bytes(), alignment_);
    }

    /// Effects: makes the block free.
    /// Requires: `p` came from allocate_block() of this pool and was not deallocated since.
    /// Complexity: constant.
    void deallocate_block(void* p) noexcept {
        core::expect_usable(p);
        free_.push(p);
    }

    /// Returns: `count` blocks. If they need room, the arena provides it in one request.
    /// Throws: refused_request if `bytes` is less than the size of a pointer; the exceptions of allocate(). No
    /// block is lost; a chunk that was taken for the burst may stay.
    /// Complexity: linear in the blocks, apart from calls upstream.
    [[nodiscard]] block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count);

    /// Effects: makes all blocks of the chain free, in its order.
    /// Requires: each came from this pool, of this size and alignment.
    void deallocate_many(block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        const block_chain taken = std::move(blocks);
        taken.for_each([&](void* p) { deallocate(p, bytes, alignment); });
    }

    /// Effects: makes sure that `count` blocks are free, and touches their pages: as many requests need no room of the arena and
    /// no new page. Fixes the size as a request would. release() ends the reserve.
    /// Throws: the exceptions of allocate(). A chunk that was taken may stay.
    /// Complexity: linear in the blocks and their pages, apart from calls upstream.
    void reserve(std::size_t bytes, std::size_t alignment, std::size_t count) {
        core::warn_if_negative(bytes);
        core::warn_if_negative(count);
        const block_size size = serves(bytes, alignment)
                                    ? block_size{free_.block_bytes(), alignment_}
                                    : block_size{core::max(bytes, sizeof(void*)), alignment};
        core::reserve_by_burst(*this, size.bytes, size.alignment, count);
    }

    /// Effects: returns all memory to the arena, and invalidates all blocks. If the first request fixed the
    /// size, the next one will.
    /// Requires: allocators over this one were released before, or are never used again.
    /// Complexity: linear in the chunks.
    void release() noexcept {
        free_ = free_blocks_type(initial_size_.bytes, initial_size_.alignment);
        alignment_ = initial_size_.alignment;
        cursor_ = limit_ = nullptr;
        arena_.release();
    }

    /// Returns: true if the next request needs more room of the arena.
    [[nodiscard]] bool empty() const noexcept {
        return free_.empty() && static_cast<std::size_t>(limit_ - cursor_) < free_.room();
    }

    /// Returns: the size of the blocks; 0 until it is fixed.
    [[nodiscard]] std::size_t block_bytes() const noexcept {
        return alignment_ != 0 ? free_.block_bytes() : 0;
    }

    /// Returns: the alignment of the blocks; 0 until it is fixed.
    [[nodiscard]] std::size_t block_alignment() const noexcept { return alignment_; }

    /// Returns: the number of blocks in the arena's present memory, in use or not; 0 until the size is fixed.
    /// Complexity: linear in the chunks.
    [[nodiscard]] std::size_t capacity() const noexcept {
        return alignment_ != 0 ? arena_.capacity(free_, alignment_) : 0;
    }

    /// Returns: true if `p` lies in the memory of the blocks.
    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept { return arena_.owns(p); }

    /// Returns: the bytes of the arena's last room that no block was cut from yet. Free blocks are not counted.
    /// Complexity: constant.
    [[nodiscard]] std::size_t bytes_left() const noexcept {
        return static_cast<std::size_t>(limit_ - cursor_);
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] allocator_stats stats() const noexcept { return arena_.stats(); }

private:
    [[nodiscard]] bool serves(std::size_t bytes, std::size_t alignment) const noexcept {
        if constexpr (has_size) {
            return bytes <= static_size.bytes && alignment <= static_size.alignment;
        } else {
            return bytes <= free_.block_bytes() && alignment <= alignment_;
        }
    }

    /// Returns: the size of all blocks, or the size that `request` would fix.
    [[nodiscard]] block_size size_for(block_size request) const noexcept {
        return alignment_ != 0 ? block_size{free_.block_bytes(), alignment_} : request.of_block();
    }

    /// Returns: a block, still poisoned; null if the arena has to provide one.
    [[nodiscard]] void* take() noexcept {
        void* block = free_.pop();
        return block != nullptr ? block : free_.carve(cursor_, limit_);
    }

    /// The rest of a block behind a smaller request stays poisoned, apart from one byte, which shows a second
    /// deallocation.
    static void* hand_out(void* block, std::size_t bytes) noexcept {
        core::unpoison(block, core::max<std::size_t>(bytes, 1));
        return block;
    }

    [[gnu::cold, gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment);
    [[gnu::cold, gnu::noinline]] void take_room(std::size_t bytes, std::size_t alignment, std::size_t blocks);
    [[gnu::cold, gnu::noinline]] bool try_to_take_room(std::size_t bytes, std::size_t alignment) noexcept;
    template <bool Quiet>
    bool find_room(std::size_t bytes, std::size_t alignment, std::size_t blocks);

    free_blocks_type free_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] std::conditional_t<
        is_static, local::constant_alignment<static_size.alignment>, std::size_t> alignment_;
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    [[MALLARD_NO_UNIQUE_ADDRESS]] std::conditional_t<is_static, local::constant_size<static_size>, block_size>
        initial_size_;
    Arena arena_;
};

/// Effects: takes a room for `blocks` blocks, or as many as the arena can, and fixes the size unless it is fixed.
/// The rest of the last room is too short for a block then.
/// Returns: false, with no effect, if the request is refused or the arena is full.
template <block_arena Arena, reuse_order Reuse, block_size Size>
template <bool Quiet>
bool fixed_pool<Arena, Reuse, Size>::find_room(std::size_t bytes, std::size_t alignment, std::size_t blocks) {
    const block_size request{bytes, alignment};
    if (alignment_ != 0 ? !serves(bytes, alignment) : !request.is_possible()) {
        return false;
    }
    const block_size size = size_for(request);
    free_blocks_type free_blocks(size.bytes, size.alignment);
    const std::span<std::byte> room = [&] {
        if constexpr (Quiet && requires { arena_.try_next_room(free_blocks, size.alignment, blocks); }) {
            return arena_.try_next_room(free_blocks, size.alignment, blocks);
        } else {
            return arena_.next_room(free_blocks, size.alignment, blocks);
        }
    }();
    if (room.empty()) {
        return false;
    }
    if (std::exchange(alignment_, size.alignment) == 0) {
        free_ = std::move(free_blocks);
    }
    cursor_ = room.data();
    limit_ = room.data() + room.size();
    return true;
}

template <block_arena Arena, reuse_order Reuse, block_size Size>
void fixed_pool<Arena, Reuse, Size>::take_room(std::size_t bytes, std::size_t alignment, std::size_t blocks) {
    if (find_room<false>(bytes, alignment, blocks)) {
        return;
    }
    if (alignment_ != 0 && !serves(bytes, alignment)) {
        core::refuse_request(bytes, alignment, free_.block_bytes(), alignment_);
    }
    if (const block_size request{bytes, alignment}; alignment_ != 0 || request.is_possible()) {
        const block_size size = size_for(request);
        if (arena_.capacity(free_blocks_type(size.bytes, size.alignment), size.alignment) == 0) {
            core::refuse_for_want_of_room(bytes, alignment);
        }
    }
    core::fail_allocation(bytes, alignment);
}

template <block_arena Arena, reuse_order Reuse, block_size Size>
bool fixed_pool<Arena, Reuse, Size>::try_to_take_room(std::size_t bytes, std::size_t alignment) noexcept {
    return find_room<true>(bytes, alignment, 1);
}

template <block_arena Arena, reuse_order Reuse, block_size Size>
void* fixed_pool<Arena, Reuse, Size>::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    take_room(bytes, alignment, 1);
    return hand_out(take(), bytes);
}

template <block_arena Arena, reuse_order Reuse, block_size Size>
block_chain fixed_pool<Arena, Reuse, Size>::allocate_many(std::size_t bytes, std::size_t alignment,
                                                          std::size_t count) {
    MALLARD_EXPECTS(is_power_of_two(alignment));
    core::expect_possible_burst(bytes, alignment, count);
    // If a burst fails, the size that it has fixed is forgotten once its blocks are back.
    core::undone_unless_kept size([this, fixes = alignment_ == 0]() noexcept { fixes ? release() : void(); });
    core::unfinished_burst burst(*this, bytes, alignment);
    if (count != 0 && !serves(bytes, alignment)) {
        take_room(bytes, alignment, count); // which fixes the size, or refuses
    }
    while (burst.size() != count) {
        if (void* block = free_.pop()) {
            burst.add(hand_out(block, bytes));
            continue;
        }
        const auto carve = [&, end = limit_](std::byte*& cursor) {
            void* block = free_.carve(cursor, end);
            return block != nullptr ? hand_out(block, bytes) : nullptr;
        };
        if (!burst.add_carved(cursor_, count, carve)) {
            take_room(bytes, alignment, count - burst.size());
        }
    }
    size.keep();
    return burst.finish();
}

}} // namespace mallard::unchecked::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

template <block_arena Arena = growing_arena<>, reuse_order Reuse = first_freed,
          block_size Size = block_size{}>
class fixed_pool : public checking::by_default<unchecked::fixed_pool<Arena, Reuse, Size>> {
    using base = checking::by_default<unchecked::fixed_pool<Arena, Reuse, Size>>;

public:
    using arena_type = Arena;
    using base::base;

    /// Effects: makes the mechanism. An implicit constructor would fill it with zeros first.
    constexpr fixed_pool() noexcept
        requires std::is_default_constructible_v<base>
        : base() {}

    template <class First, class... Args>
        requires core::is_memory_or_size<First, Args...> && (!std::is_constructible_v<base, First, Args...>)
    fixed_pool(First&&, Args&&...) = delete; // it takes a block_size, and an array as a std::span<std::byte>

    template <core::foreign_upstream<fixed_pool> Source, class... Args>
        requires(!std::is_constructible_v<base, Source&, Args...>)
    fixed_pool(Source&, Args&&...) = delete; // its type names the arena: omit the <>

    template <core::allocates_from_a_resource Allocator>
    operator Allocator() const = delete; // std::pmr takes the address of a mallard::resource
};

/// The pool for objects of the type T.
template <class T, block_arena Arena = growing_arena<>, reuse_order Reuse = first_freed>
using fixed_pool_for = fixed_pool<Arena, Reuse, block_size::of<T>()>;

fixed_pool(fixed_pool_options) -> fixed_pool<>;
fixed_pool(block_size) -> fixed_pool<>;
fixed_pool(block_size, fixed_pool_options) -> fixed_pool<>;
fixed_pool(std::span<std::byte>) -> fixed_pool<buffer_arena>;
fixed_pool(block_size, std::span<std::byte>) -> fixed_pool<buffer_arena>;
template <upstream Upstream>
fixed_pool(Upstream&) -> fixed_pool<growing_arena<Upstream>>;
template <upstream_reference Reference>
fixed_pool(const Reference&) -> fixed_pool<growing_arena<Reference>>;
template <upstream Upstream>
fixed_pool(Upstream&, fixed_pool_options) -> fixed_pool<growing_arena<Upstream>>;
template <upstream Upstream>
fixed_pool(block_size, Upstream&) -> fixed_pool<growing_arena<Upstream>>;
template <upstream Upstream>
fixed_pool(block_size, Upstream&, fixed_pool_options) -> fixed_pool<growing_arena<Upstream>>;

static_assert(local_allocator<fixed_pool<>> && burst_allocator<fixed_pool<>>);
static_assert(local_allocator<fixed_pool<static_arena<4096>>>);

}} // namespace mallard::MALLARD_MODE

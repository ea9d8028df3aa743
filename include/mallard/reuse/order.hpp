/// What a pool asks of the order in which it uses freed blocks again, and the orders that there are.
///
///     last_freed       a list, last freed first
///     first_freed      a list, first freed first: a structure used as a queue keeps its blocks in order
///     lowest_address   bitmaps, lowest address first: what is in use gathers at the low end
///     hybrid_reuse     of a few blocks the last freed first, of all others the lowest address
///
/// An order is given to a pool by name, as multipool<Upstream, Reuse> or fixed_pool<Arena, Reuse>. The name
/// stands for two kinds of books of free blocks that keep the same order:
///
///     by_class<Classes>   for pools of many sizes; by size class (reuse/size_classes.hpp)
///     of_one_size         for pools of one
///
/// Both keep them in memory of the pool itself: they have no upstream, and what they need for their books
/// they take from what they are given. No function of theirs may fail or throw.
///
/// By class: addresses and sizes are multiples of 8; a block whose size is a multiple of 16 has to lie at
/// one.
///
///     pop(index)                    a block of class `index`, still poisoned; null where none is free
///     push(p, index)                makes a block of that class free and poisons it; false, with no effect,
///                                   where it has no books for that class
///     reach(p, index, classes)      only of an order that may refuse blocks of the pool: makes a block free
///                                   that push() refused; it may keep it for its books, which have to be good
///                                   for its class afterwards, and never for classes from `classes` on
///     donate(p, bytes, classes)     takes a remainder over, memory that no block covers and nobody else will
///     carve(cursor, limit, index)   cuts a block of class `index` off the room [cursor, limit), and moves
///                                   the cursor behind it; null, with no effect, where the room is too short
///     room_for(index)               as many bytes as carve() needs at most, at a multiple of 16
///     clear()                       forgets every block: their memory is gone
///
/// Of one size: made of the block size, a multiple of 4 and at least that of a pointer, and of the alignment
/// of the blocks, which divides their size where it is above 16; where it has to do in static storage, in a
/// constant expression. Rooms begin at multiples of 16 and of the alignment.
///
///     pop(), push(p), clear()       as above; push() takes every block
///     carve(cursor, limit)          as above; the room is used for nothing else until it is too short
///     room(blocks = 1)              as many bytes as `blocks` blocks need of a new room, books included
///     blocks_in(bytes)              how many blocks come of a new room
///     empty()                       whether no block is free
///     block_bytes()                 the block size
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mallard::reuse::inline MALLARD_MODE {

template <class R>
concept reuse_by_class =
    std::is_nothrow_default_constructible_v<R> &&
    requires(R& r, void* p, std::byte* room, std::byte*& cursor, std::size_t index, std::size_t n) {
        { r.pop(index) } noexcept -> std::same_as<void*>;
        { r.push(p, index) } noexcept -> std::same_as<bool>;
        { r.donate(room, n, n) } noexcept;
        { r.carve(cursor, room, index) } noexcept -> std::same_as<void*>;
        { r.room_for(index) } noexcept -> std::same_as<std::size_t>;
        { r.clear() } noexcept;
    };

template <class R>
concept reuse_of_one_size =
    std::is_nothrow_constructible_v<R, std::size_t, std::size_t> && std::movable<R> &&
    requires(R& r, const R& seen, void* p, std::byte* room, std::byte*& cursor, std::size_t n) {
        { r.pop() } noexcept -> std::same_as<void*>;
        { r.push(p) } noexcept -> std::same_as<void>;
        { r.carve(cursor, room) } noexcept -> std::same_as<void*>;
        { seen.room() } noexcept -> std::same_as<std::size_t>;
        { seen.room(n) } noexcept -> std::same_as<std::size_t>;
        { seen.blocks_in(n) } noexcept -> std::same_as<std::size_t>;
        { seen.empty() } noexcept -> std::same_as<bool>;
        { seen.block_bytes() } noexcept -> std::same_as<std::size_t>;
        { r.clear() } noexcept;
    };

} // namespace mallard::reuse::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

template <class R>
concept reuse_order = reuse::reuse_by_class<typename R::template by_class<eighth_classes>> &&
                      reuse::reuse_by_class<typename R::template by_class<power_of_two_classes>> &&
                      reuse::reuse_of_one_size<typename R::of_one_size>;

} // namespace mallard::inline MALLARD_MODE

namespace mallard::reuse::inline MALLARD_MODE {

/// The part of books by class that carves block by block, so that blocks that are asked for together lie
/// together.
template <size_class_policy Classes>
class carves_by_class {
public:
    [[nodiscard]] static void* carve(std::byte*& cursor, std::byte* limit, std::size_t index) noexcept {
        const std::size_t block_bytes = Classes::bytes(index);
        // 8 where the cursor must skip 8 bytes, so that a block of a multiple of 16 stands at one.
        const std::size_t padding =
            (reinterpret_cast<std::uintptr_t>(cursor) & ~block_bytes & 8) + distance_bytes(index);
        if (block_bytes + padding > static_cast<std::size_t>(limit - cursor)) [[unlikely]] {
            return nullptr;
        }
        std::byte* block = cursor + padding;
        cursor = block + block_bytes;
        return block;
    }

    [[nodiscard]] static constexpr std::size_t room_for(std::size_t index) noexcept {
        return Classes::bytes(index) + distance_bytes(index);
    }

private:
    /// Blocks at multiples of 4096 from each other begin in one set of the cache, and a processor that
    /// compares the last twelve bits of addresses takes a store to one for a store to the other. So they are
    /// kept a cache line further apart.
    static constexpr std::size_t distance_bytes(std::size_t index) noexcept {
        return Classes::bytes(index) % 4096 == 0 ? cache_line_bytes : 0;
    }
};

/// The part of books of one size that carves block by block, one right behind the other.
class carves_one_size {
public:
    explicit constexpr carves_one_size(std::size_t block_bytes) noexcept : block_bytes_(block_bytes) {}

    [[nodiscard]] void* carve(std::byte*& cursor, std::byte* limit) const noexcept {
        if (block_bytes_ > static_cast<std::size_t>(limit - cursor)) [[unlikely]] {
            return nullptr;
        }
        std::byte* block = cursor;
        cursor += block_bytes_;
        return block;
    }

    /// Requires: so many blocks can be.
    [[nodiscard]] constexpr std::size_t room(std::size_t blocks = 1) const noexcept {
        return blocks * block_bytes_;
    }

    [[nodiscard]] constexpr std::size_t blocks_in(std::size_t bytes) const noexcept {
        return bytes / block_bytes_;
    }

    [[nodiscard]] constexpr std::size_t block_bytes() const noexcept { return block_bytes_; }

private:
    std::size_t block_bytes_;
};

} // namespace mallard::reuse::inline MALLARD_MODE

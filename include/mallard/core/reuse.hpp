/// What a pool asks of the order in which it uses freed blocks again, and the orders that there are.
///
///     last_freed       a list, last freed first
///     first_freed      a list, first freed first: a structure used as a queue keeps its blocks in order
///     lowest_address   bitmaps, lowest address first: what is in use gathers at the low end
///     hybrid_reuse     of a few blocks the last freed first, of all others the lowest address
///
/// An order is a class of its own, given to multipool<Upstream, Reuse> by name. It keeps the free blocks by
/// size class (core/size_classes.hpp), in memory of the pool itself: it has no upstream, and what it needs
/// for its books it takes from the blocks that it is given.
///
///     pop(index)                    a block of class `index`, still poisoned; null where none is free
///     push(p, index)                makes a block of that class free and poisons it; false, with no effect,
///                                   where it has no books for that class
///     reach(p, index, classes)      only of an order that may refuse blocks of the pool: makes a block free
///                                   that push() refused; it may keep it for its books, which have to be good
///                                   for its class afterwards, and never for classes from `classes` on
///     donate(p, bytes, classes)     takes over a remainder, memory that no block covers and nothing else will
///     carve(cursor, limit, index)   cuts a block of class `index` off the room [cursor, limit), and moves the
///                                   cursor behind it; null, with no effect, where the room is too short
///     room_for(index)               as many bytes as carve() needs at most, at a multiple of 16
///     clear()                       forgets every block: their memory is gone
///
/// None of these may fail or throw. Addresses and sizes are multiples of 8; a block whose size is a multiple
/// of 16 has to lie at one.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/size_classes.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mallard {

template <class R>
concept reuse_order =
    std::is_nothrow_default_constructible_v<R> &&
    requires(R& r, void* p, std::byte* room, std::byte*& cursor, std::size_t index, std::size_t n) {
        { r.pop(index) } noexcept -> std::same_as<void*>;
        { r.push(p, index) } noexcept -> std::same_as<bool>;
        { r.donate(room, n, n) } noexcept;
        { r.carve(cursor, room, index) } noexcept -> std::same_as<void*>;
        { r.room_for(index) } noexcept -> std::same_as<std::size_t>;
        { r.clear() } noexcept;
    };

/// The part of an order that carves block by block, so that blocks that are asked for together lie together.
class carves_blocks {
public:
    [[nodiscard]] static void* carve(std::byte*& cursor, std::byte* limit, std::size_t index) noexcept {
        const std::size_t block_bytes = class_bytes(index);
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
        return class_bytes(index) + distance_bytes(index);
    }

private:
    /// Blocks at multiples of 4096 from each other begin in one set of the cache, and a processor that
    /// compares the last twelve bits of addresses takes a store to one for a store to the other. So they are
    /// kept a cache line further apart.
    static constexpr std::size_t distance_bytes(std::size_t index) noexcept {
        return class_bytes(index) % 4096 == 0 ? cache_line_bytes : 0;
    }
};

} // namespace mallard

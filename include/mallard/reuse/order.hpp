/// The order in which a pool uses freed blocks again: the requirements, and a list of the orders.
///
///     first_freed      an unrolled queue, first freed first: a structure keeps its blocks in order (default of
///                      pools of one size)
///     hybrid_order     as first_freed while all blocks have one size, as last_freed among several (default of
///                      multipool)
///     last_freed       a list, last freed first
///
/// A pool takes an order by name, as in multipool<Upstream, Reuse> or fixed_pool<Arena, Reuse>. The name has two
/// classes of free blocks, which keep the same order:
///
///     by_class<Classes>   for pools of many sizes; by size class (reuse/size_classes.hpp)
///     of_one_size         for pools of one size
///     of_static_size<B>   for pools in static memory of one size, which the type says: zeros are a pool without free
///                         blocks. An order may lack it; a pool in static storage then begins with bytes that are not zero
///
/// Both keep their links in the free blocks: they have no upstream. No function of theirs fails or throws.
///
/// By class: addresses and sizes are multiples of 8; a block whose size is a multiple of 16 lies at a multiple of
/// 16.
///
///     pop(index)                    a block of class `index`, still poisoned; null if none is free
///     push(p, index)                makes a block of that class free and poisons it; false, with no effect, if
///                                   serves(index) is false
///     serves(index)                 true if blocks of that class can be free here
///     bytes_to_serve(index, n)      the bytes that serve() needs, a multiple of 16; n: the pool's classes
///     serve(index, n, memory)       makes serves(index) true, and keeps the memory until clear()
///     donate(p, bytes)              takes over a remainder that no block covers and no block ever will
///     carve(cursor, limit, index)   cuts a block of class `index` off the room [cursor, limit), and moves the cursor
///                                   behind it; null, with no effect, if the room is too short
///     room_for(index)               the most bytes that carve() needs, at a multiple of 16
///     clear()                       forgets all blocks
///
/// Of one size: made of the block size, a multiple of 4 and at least a pointer's, and of the alignment of the
/// blocks, which divides their size if it is above 16. The constructor is constexpr for pools in static storage.
/// Rooms begin at multiples of 16 and of the alignment.
///
///     pop()                         a block, still poisoned; null if none is free
///     push(p)                       makes any block of the pool free and poisons it
///     carve(cursor, limit)          cuts a block off the room, which has no other use until it is too short
///     room(blocks = 1)              the bytes that `blocks` blocks need of a new room
///     blocks_in(bytes)              the number of blocks in a new room
///     empty()                       true if no block is free
///     block_bytes()                 the block size
///     clear()                       forgets all blocks
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

template <class R>
concept reuse_by_class =
    std::is_nothrow_default_constructible_v<R> &&
    requires(R& r, void* p, std::byte* room, std::byte*& cursor, std::size_t index, std::size_t n) {
        { r.pop(index) } noexcept -> std::same_as<void*>;
        { r.push(p, index) } noexcept -> std::same_as<bool>;
        { r.serves(index) } noexcept -> std::same_as<bool>;
        { r.bytes_to_serve(index, n) } noexcept -> std::same_as<std::size_t>;
        { r.serve(index, n, room) } noexcept;
        { r.donate(room, n) } noexcept;
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

}} // namespace mallard::reuse::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

template <class R>
concept reuse_order = reuse::reuse_by_class<typename R::template by_class<eighth_classes>> &&
                      reuse::reuse_by_class<typename R::template by_class<power_of_two_classes>> &&
                      reuse::reuse_of_one_size<typename R::of_one_size>;

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

/// Ignores what carving says about a chunk.
struct ignore_carved {
    static void on_gap(std::byte*) noexcept {}
    static void on_word() noexcept {}
};

/// Carving by class, block by block, so that blocks that are requested together lie together.
template <size_class_policy Classes>
class carves_by_class {
public:
    static constexpr std::size_t gap_bytes = cache_line_bytes;

    /// Calls `carved.on_word()` for a block of 8 bytes, and `carved.on_gap(p)` for gap_bytes in front of the block that
    /// belong to none, so that a pool may know which parts of a chunk are free.
    template <class Carved = ignore_carved>
    [[nodiscard, gnu::always_inline]] static void* carve(std::byte*& cursor, std::byte* limit,
                                                         std::size_t index, Carved carved = {}) noexcept {
        const std::size_t block_bytes = Classes::bytes(index);
        // 8 if the cursor must skip 8 bytes, so that a block of a multiple of 16 bytes lies at one.
        const std::size_t padding = reinterpret_cast<std::uintptr_t>(cursor) & ~block_bytes & 8;
        const auto room_bytes = static_cast<std::size_t>(limit - cursor);
        if (block_bytes + padding > room_bytes) [[unlikely]] {
            return nullptr;
        }
        std::byte* block = cursor + padding;
        if constexpr (!gives_chunks_back<Classes>) { // a line without a block looks like one in use
            if ((block_bytes & (colored_bytes - 1) & ~std::size_t{8}) == 0) { // a multiple of 128, or 8
                if (block_bytes == 8) {
                    carved.on_word();
                } else if (crosses_page(block, block_bytes) &&
                           block_bytes + padding + gap_bytes <= room_bytes) {
                    carved.on_gap(block);
                    block += gap_bytes;
                }
            }
        }
        cursor = block + block_bytes;
        return core::known(block);
    }

    [[nodiscard]] static constexpr std::size_t room_for(std::size_t index) noexcept {
        return Classes::bytes(index);
    }

private:
    /// Blocks at a distance of 4096 bytes begin in one set of the cache, and a processor that compares the last
    /// twelve bits of addresses takes a store to one for a store to the other. So the blocks of each page of
    /// memory begin a cache line further on, if the room is long enough.
    /// Source: Bonwick, "The slab allocator" (1994), section 4, "coloring".
    [[gnu::always_inline]] static bool crosses_page(const std::byte* block,
                                                    std::size_t block_bytes) noexcept {
        const auto begin = reinterpret_cast<std::uintptr_t>(block);
        return ((begin ^ (begin + block_bytes)) & ~std::uintptr_t{4095}) != 0;
    }

    /// Blocks of other sizes begin in all sets, or nearly so.
    static constexpr std::size_t colored_bytes = 128;
};

/// The size of the blocks of a list.
class size_of_one {
public:
    using links = core::links<false>; // a multiple of 4 is aligned for no pointer

    explicit constexpr size_of_one(std::size_t bytes) noexcept : bytes_(bytes) {}
    [[nodiscard, gnu::always_inline]] constexpr std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard, gnu::always_inline]] constexpr bool is(std::size_t bytes) const noexcept {
        return bytes == bytes_;
    }
    [[nodiscard, gnu::always_inline]] constexpr bool holds(std::size_t bytes) const noexcept {
        return bytes <= bytes_;
    }

private:
    std::size_t bytes_;
};

/// A size that is part of the type, so that a list of no blocks is all zeros.
template <std::size_t Bytes>
class static_size {
public:
    using links = core::links<Bytes % alignof(void*) == 0>;

    explicit constexpr static_size(std::size_t) noexcept {}
    [[nodiscard, gnu::always_inline]] static constexpr std::size_t bytes() noexcept { return Bytes; }
    [[nodiscard, gnu::always_inline]] static constexpr bool is(std::size_t bytes) noexcept {
        return bytes == Bytes;
    }
    [[nodiscard, gnu::always_inline]] static constexpr bool holds(std::size_t bytes) noexcept {
        return bytes <= Bytes;
    }
};

/// Carving of one size, block by block, one right behind the other.
template <class Size>
class carves_size {
public:
    explicit constexpr carves_size(std::size_t block_bytes) noexcept : size_(block_bytes) {}

    [[nodiscard, gnu::always_inline]] void* carve(std::byte*& cursor, std::byte* limit) const noexcept {
        if (block_bytes() > static_cast<std::size_t>(limit - cursor)) [[unlikely]] {
            return nullptr;
        }
        std::byte* block = cursor;
        cursor += block_bytes();
        return core::known(block);
    }

    /// Requires: the total size of the blocks is representable.
    [[nodiscard]] constexpr std::size_t room(std::size_t blocks = 1) const noexcept {
        return blocks * block_bytes();
    }

    [[nodiscard]] constexpr std::size_t blocks_in(std::size_t bytes) const noexcept {
        return bytes / block_bytes();
    }

    [[nodiscard]] constexpr std::size_t block_bytes() const noexcept { return size_.bytes(); }

protected:
    [[nodiscard, gnu::always_inline]] constexpr Size size() const noexcept { return size_; }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] Size size_;
};

using carves_one_size = carves_size<size_of_one>;

}} // namespace mallard::reuse::MALLARD_LIBRARY

/// Arenas: the memory of a fixed_pool.
///
///     static_arena<Bytes>       an array in the arena itself; needs no heap, nor code that runs at the start
///     buffer_arena              an array of the caller
///     single_arena<Upstream>    one allocation, of a number of blocks
///     growing_arena<Upstream>   a chain of chunks, each twice as large as the one before it
///
/// An arena gives rooms: memory for blocks. The first three arenas have a single room. An arena does not know the
/// size of the blocks: the pool shows it its free blocks (reuse/order.hpp), which know their needs.
///
///     next_room(free_blocks, alignment, blocks)   a new room at a multiple of `alignment` and of
///                                                 fundamental_alignment, poisoned: for one block at least, and for
///                                                 `blocks` of them if possible; empty if there is no more. It may
///                                                 throw as an upstream; the arena is unchanged then
///     try_next_room(...)                          the same, and empty where next_room() throws; only arenas that throw
///                                                 have it
///     capacity(free_blocks, alignment)            the number of blocks in its memory, in use or not
///     owns(p)                                     true if an address lies in its rooms
///     release()                                   takes all rooms back
///     stats()                                     the memory of an upstream that it holds
///
/// Bound: for each room, an arena holds less than a block beyond its blocks, the metadata of the order of reuse
/// (none for lists), a chunk's header of 16 bytes, and the padding of over-aligned blocks. Apart from its first
/// chunk, a growing_arena has room for at most twice the blocks that were ever in use at a time, or for one chunk
/// of the largest size more than those, whichever is less.
///
/// Source: Optimized C++ (2016), chapter 13, example 13-4 and "Variations".
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_size.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/contract.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/upstream_handle.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/chunks/chunk_list.hpp>
#include <mallard/impl/chunks/growth.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

template <class A>
concept block_arena =
    requires(A& a, const A& seen, const last_freed::of_one_size& free_blocks, const void* p, std::size_t n) {
        { a.next_room(free_blocks, n, n) } -> std::same_as<std::span<std::byte>>;
        { seen.capacity(free_blocks, n) } noexcept -> std::same_as<std::size_t>;
        { seen.owns(p) } noexcept -> std::same_as<bool>;
        { a.release() } noexcept;
        { seen.stats() } noexcept -> std::same_as<allocator_stats>;
    };

}} // namespace mallard::MALLARD_MODE

namespace mallard::local { inline namespace MALLARD_MODE {

/// True for an arena with a variant, with_room_for, that holds at least as many `Larger` blocks as it holds
/// `Plain` ones.
template <class A>
concept can_hold_larger_blocks = block_arena<A> && requires {
    typename A::template with_room_for<last_freed::of_one_size, block_size{8, 8}, block_size{40, 8}>;
};

/// Returns: false if the type alone says that an arena has no room for a block.
template <block_arena Arena, reuse::reuse_of_one_size FreeBlocks>
[[nodiscard]] constexpr bool may_hold_a_block(std::size_t block_bytes, std::size_t alignment) noexcept {
    if constexpr (requires { Arena::most_bytes; }) {
        // The address of the arena is not known: an over-aligned block may need padding.
        const std::size_t padding = core::max(alignment, fundamental_alignment) - fundamental_alignment;
        return FreeBlocks(block_bytes, alignment).room() + padding <= Arena::most_bytes;
    } else {
        return true;
    }
}

/// Returns: the part of `memory` that begins at a multiple of `alignment`.
[[nodiscard]] inline std::span<std::byte> aligned_part(std::span<std::byte> memory,
                                                       std::size_t alignment) noexcept {
    return memory.subspan(core::min(core::padding_to(memory.data(), alignment), memory.size()));
}

/// An array as the only room of an arena.
class array_room {
public:
    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> give(std::span<std::byte> array, const FreeBlocks& free_blocks,
                                            std::size_t alignment) noexcept {
        const std::span<std::byte> room = aligned_part(array, core::max(alignment, fundamental_alignment));
        if (handed_out_ || room.size() < free_blocks.room()) {
            return {};
        }
        handed_out_ = true;
        core::poison(room.data(), room.size());
        return room;
    }

    void take_back(std::span<std::byte> array) noexcept {
        if (std::exchange(handed_out_, false)) {
            core::poison(array.data(), array.size());
        }
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] static std::size_t capacity(std::span<std::byte> array, const FreeBlocks& free_blocks,
                                              std::size_t alignment) noexcept {
        return free_blocks.blocks_in(aligned_part(array, core::max(alignment, fundamental_alignment)).size());
    }

private:
    bool handed_out_ = false;
};

}} // namespace mallard::local::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// `Bytes` bytes in the arena itself. Neither copied nor moved, because blocks lie in it.
template <std::size_t Bytes>
class static_arena {
    static_assert(Bytes >= sizeof(void*),
                  "mallard: a static_arena of fewer bytes than a pointer has holds no block; make it larger");

public:
    static constexpr std::size_t most_bytes = Bytes;

    /// Returns: the bytes for as many larger blocks as `Bytes` bytes hold plain ones. If the size of blocks is not known
    /// yet, the smallest block of 8 bytes decides: zones add the most to it.
    template <reuse::reuse_of_one_size FreeBlocks, block_size Plain, block_size Larger>
    [[nodiscard]] static consteval std::size_t room_for() noexcept {
        constexpr block_size plain = Plain.of_block();
        constexpr block_size larger = Larger.of_block();
        if constexpr (Plain.bytes == 0) {
            return Bytes / sizeof(void*) * block_size{1, 1}.with_zones().of_block().bytes;
        } else {
            constexpr FreeBlocks few(plain.bytes, plain.alignment);
            constexpr std::size_t blocks = few.blocks_in(Bytes);
            if constexpr (blocks == 0) {
                return Bytes;
            } else {
                return FreeBlocks(larger.bytes, larger.alignment).room(blocks) + Bytes - few.room(blocks) +
                       (plain.alignment > fundamental_alignment ? plain.alignment : 0);
            }
        }
    }

    template <reuse::reuse_of_one_size FreeBlocks, block_size Plain, block_size Larger>
    using with_room_for = static_arena<room_for<FreeBlocks, Plain, Larger>()>;

    constexpr static_arena() = default;
    static_arena(const static_arena&) = delete;
    static_arena& operator=(const static_arena&) = delete;
    ~static_arena() = default; // trivial: static storage lasts to the last instruction
    ~static_arena()
        requires core::poisons_memory
    {
        core::unpoison(&storage_, Bytes);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                 std::size_t) noexcept {
        return room_.give(array(), free_blocks, alignment);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::size_t capacity(const FreeBlocks& free_blocks, std::size_t alignment) const noexcept {
        return local::array_room::capacity(array(), free_blocks, alignment);
    }

    [[nodiscard]] bool owns(const void* p) const noexcept { return core::lies_in(array(), p); }

    void release() noexcept { room_.take_back(array()); }

    [[nodiscard]] static allocator_stats stats() noexcept { return {}; }

private:
    /// Not initialised, so that an arena on the stack costs nothing; but one member is, so that an arena in
    /// static storage is a constant.
    union storage {
        constexpr storage() noexcept : nothing() {}
        std::byte nothing;
        std::byte bytes[Bytes];
    };

    [[nodiscard]] std::span<std::byte> array() const noexcept { return {storage_.bytes, Bytes}; }

    alignas(fundamental_alignment) mutable storage storage_;
    local::array_room room_;
};

/// Memory of the caller. Neither copied nor moved.
class buffer_arena {
public:
    /// Requires: `array` outlives the arena and has no other use.
    explicit constexpr buffer_arena(std::span<std::byte> array) noexcept : array_(array) {}

    buffer_arena(const buffer_arena&) = delete;
    buffer_arena& operator=(const buffer_arena&) = delete;

    /// Effects: returns the array to the caller, unpoisoned.
    ~buffer_arena() { core::unpoison(array_.data(), array_.size()); }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                 std::size_t) noexcept {
        return room_.give(array_, free_blocks, alignment);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::size_t capacity(const FreeBlocks& free_blocks, std::size_t alignment) const noexcept {
        return local::array_room::capacity(array_, free_blocks, alignment);
    }

    [[nodiscard]] bool owns(const void* p) const noexcept { return core::lies_in(array_, p); }

    void release() noexcept { room_.take_back(array_); }

    [[nodiscard]] static allocator_stats stats() noexcept { return {}; }

private:
    std::span<std::byte> array_;
    local::array_room room_;
};

/// One allocation, made by the first request for a block. Neither copied nor moved.
template <upstream Upstream = chunk_cache>
class single_arena {
public:
    using upstream_type = Upstream;

    template <reuse::reuse_of_one_size FreeBlocks, block_size Plain, block_size Larger>
    using with_room_for = single_arena;

    /// Effects: makes an arena of `blocks` blocks. With 0, every request fails.
    explicit constexpr single_arena(std::size_t blocks) noexcept
        requires stateless_upstream<Upstream>
        : blocks_(blocks) {
        core::warn_if_negative(blocks);
    }

    /// Requires: `source` outlives the arena.
    constexpr single_arena(std::size_t blocks, core::upstream_argument<Upstream> source) noexcept
        : blocks_(blocks), upstream_(source) {
        core::warn_if_negative(blocks);
    }

    single_arena(const single_arena&) = delete;
    single_arena& operator=(const single_arena&) = delete;
    ~single_arena() { release(); }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                 std::size_t) {
        return take_room<false>(free_blocks, alignment);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> try_next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                     std::size_t) noexcept {
        return take_room<true>(free_blocks, alignment);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::size_t capacity(const FreeBlocks& free_blocks, std::size_t) const noexcept {
        return free_blocks.blocks_in(room_.size());
    }

    [[nodiscard]] bool owns(const void* p) const noexcept { return core::lies_in(room_, p); }

    void release() noexcept {
        if (!room_.empty()) {
            core::unpoison(room_.data(), room_.size());
            core::give_back(upstream_.get(), room_.data(), room_.size(), alignment_);
            room_ = {};
        }
    }

    [[nodiscard]] allocator_stats stats() const noexcept {
        const std::size_t chunks = room_.empty() ? 0 : 1;
        return {.chunks = chunks, .chunk_bytes = room_.size(), .upstream_calls = upstream_calls_};
    }

private:
    template <bool Quiet, reuse::reuse_of_one_size FreeBlocks>
    std::span<std::byte> take_room(const FreeBlocks& free_blocks, std::size_t alignment) {
        if (!room_.empty() || blocks_ == 0) {
            return {};
        }
        if (blocks_ > std::size_t{PTRDIFF_MAX} / 2 / free_blocks.room()) {
            if constexpr (Quiet) {
                return {};
            } else {
                core::fail_as_upstream(upstream_.get(), SIZE_MAX, alignment);
            }
        }
        const std::size_t bytes = free_blocks.room(blocks_);
        const std::size_t room_alignment = core::max(alignment, fundamental_alignment);
        auto&& source = core::source_from<Quiet>(upstream_);
        void* const memory = source.allocate(bytes, room_alignment);
        if (Quiet && memory == nullptr) {
            return {};
        }
        room_ = {static_cast<std::byte*>(memory), bytes};
        alignment_ = room_alignment;
        ++upstream_calls_;
        core::poison(room_.data(), bytes);
        return room_;
    }

    std::size_t blocks_;
    std::span<std::byte> room_;
    std::size_t alignment_ = 0;
    std::size_t upstream_calls_ = 0;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

/// Of a pool in a growing_arena.
struct fixed_pool_options {
    chunk_growth growth;
};

/// As many chunks as are needed. Neither copied nor moved.
template <upstream Upstream = chunk_cache>
class growing_arena {
public:
    using upstream_type = Upstream;

    template <reuse::reuse_of_one_size FreeBlocks, block_size Plain, block_size Larger>
    using with_room_for = growing_arena;

    explicit constexpr growing_arena(fixed_pool_options options = {}) noexcept
        requires stateless_upstream<Upstream>
        : next_(options.growth) {}

    /// Requires: `source` outlives the arena.
    explicit constexpr growing_arena(core::upstream_argument<Upstream> source,
                                     fixed_pool_options options = {}) noexcept
        : next_(options.growth), upstream_(source) {}

    growing_arena(const growing_arena&) = delete;
    growing_arena& operator=(const growing_arena&) = delete;
    ~growing_arena() { chunks_.release(upstream_.get()); }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                 std::size_t blocks) {
        return take_room<false>(free_blocks, alignment, blocks);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::span<std::byte> try_next_room(const FreeBlocks& free_blocks, std::size_t alignment,
                                                     std::size_t blocks) noexcept {
        return take_room<true>(free_blocks, alignment, blocks);
    }

    template <reuse::reuse_of_one_size FreeBlocks>
    [[nodiscard]] std::size_t capacity(const FreeBlocks& free_blocks, std::size_t alignment) const noexcept {
        std::size_t sum = 0;
        for (chunks::chunk* c = chunks_.front(); c != nullptr; c = c->next) {
            sum += free_blocks.blocks_in(aligned_room(c, alignment).size());
        }
        return sum;
    }

    /// Complexity: linear in the chunks.
    [[nodiscard]] bool owns(const void* p) const noexcept { return chunks_.owns(p); }

    void release() noexcept {
        chunks_.release(upstream_.get());
        next_.restart();
    }

    [[nodiscard]] allocator_stats stats() const noexcept {
        return {.chunks = chunks_.count(), .chunk_bytes = chunks_.bytes(), .upstream_calls = upstream_calls_};
    }

private:
    template <bool Quiet, reuse::reuse_of_one_size FreeBlocks>
    std::span<std::byte> take_room(const FreeBlocks& free_blocks, std::size_t alignment, std::size_t blocks) {
        const std::size_t around =
            sizeof(chunks::chunk) + (alignment > fundamental_alignment ? alignment : 0);
        const std::size_t most_blocks = next_.largest_bytes() / free_blocks.block_bytes() + 1;
        const std::size_t wanted_bytes = core::max(
            around + free_blocks.room(),
            core::min(around + free_blocks.room(core::min(blocks, most_blocks)), next_.largest_bytes()));
        std::size_t chunk_bytes = next_.bytes_for(wanted_bytes);
        chunks::chunk* const added = chunks::take_chunk<Quiet>(
            upstream_, chunk_bytes, wanted_bytes,
            [this](auto&& source, std::size_t size) { return chunks_.grow(source, size); });
        if (Quiet && added == nullptr) {
            return {};
        }
        next_.took(added->bytes, wanted_bytes);
        ++upstream_calls_;
        return aligned_room(added, alignment);
    }

    static std::span<std::byte> aligned_room(chunks::chunk* c, std::size_t alignment) noexcept {
        return local::aligned_part({c->begin(), c->end()}, core::max(alignment, fundamental_alignment));
    }

    chunks::chunk_list chunks_;
    std::size_t upstream_calls_ = 0;
    chunks::next_chunk next_;
    [[MALLARD_NO_UNIQUE_ADDRESS]] core::upstream_handle<Upstream> upstream_;
};

template <upstream Upstream>
single_arena(std::size_t, Upstream&) -> single_arena<Upstream>;
template <upstream_reference Reference>
single_arena(std::size_t, const Reference&) -> single_arena<Reference>;
template <upstream Upstream>
growing_arena(Upstream&, fixed_pool_options = {}) -> growing_arena<Upstream>;
template <upstream_reference Reference>
growing_arena(const Reference&, fixed_pool_options = {}) -> growing_arena<Reference>;

static_assert(block_arena<static_arena<64>> && block_arena<buffer_arena>);
static_assert(block_arena<single_arena<>> && block_arena<growing_arena<>>);

}} // namespace mallard::MALLARD_MODE

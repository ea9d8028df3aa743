/// A thread's stock of free blocks of one shape, used without a lock.
///
///     blocks_ -> block -> block -> ... -> null        last freed first; the links are in the blocks
///     room_                                           how many more may be put in before the next count
///
/// Data model: the list is not counted as it is used, because a counter that each call changes would take as long
/// as the rest of the call. Instead room_ counts deallocations only; when it is 0, make_room() counts the list,
/// which allocations can only have made shorter.
/// Invariants: the length is at most the capacity less room_. All bytes of a magazine that was never used are
/// zero. Blocks are poisoned under AddressSanitizer, links and all.
///
/// Source: J. Bonwick, J. Adams, "Magazines and Vmem", USENIX 2001, for the name and the idea.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::threads::inline MALLARD_LIBRARY {

/// A list of free blocks, poisoned, links and all; last in, first out.
class block_stack {
public:
    block_stack() = default;

    /// Effects: takes over the blocks to which `first` leads.
    explicit block_stack(core::free_block* first) noexcept : first_(first) {}

    [[nodiscard]] core::free_block* first() const noexcept { return first_; }
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    /// Returns: the block that was put in last, still poisoned; null if there is none.
    [[nodiscard]] void* pop() noexcept {
        core::free_block* const block = first_;
        if (block != nullptr) [[likely]] {
            first_ = links::read(block);
        }
        return block;
    }

    /// Requires: `p` has room for a pointer.
    void push(void* p) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        links::write(block, first_);
        first_ = block;
    }

    /// Effects: keeps the first `most` blocks and moves the others to `excess`, which is empty.
    /// Returns: the number that it keeps: fewer than `most` if there were no more.
    /// Complexity: linear in the blocks that it keeps.
    std::size_t keep(std::size_t most, block_stack& excess) noexcept {
        auto* link = static_cast<void*>(&first_);
        std::size_t kept = 0;
        for (; kept != most && links::read(link) != nullptr; ++kept) {
            link = links::read(link);
        }
        excess.first_ = links::read(link);
        links::write(link, nullptr);
        return kept;
    }

    /// Complexity: linear in the blocks, up to `most`.
    [[nodiscard]] bool has_just(std::size_t most) const noexcept {
        core::free_block* block = first_;
        for (; block != nullptr && most != 0; --most) {
            block = links::read(block);
        }
        return block == nullptr && most == 0;
    }

private:
    using links = core::links<true>; // blocks of size classes, or of whole cache lines

    core::free_block* first_ = nullptr;
};

/// A magazine has blocks of one shape; requests are rounded up to it.
struct block_shape {
    std::size_t bytes;
    std::size_t alignment;
};

/// Magazines 0 to 63 serve the size classes up to 8 KiB: larger blocks take so long to fill that a lock does not
/// matter. The others serve blocks of one to eight whole cache lines, so that threads do not write to one line.
inline constexpr std::size_t classes_with_magazines = eighth_classes::index(std::size_t{8} << 10) + 1;

inline constexpr std::size_t line_magazines = 8;
inline constexpr std::size_t magazine_count = classes_with_magazines + line_magazines;

/// Returns: the magazine that serves a request; magazine_count if none does.
/// Requires: `alignment` is a power of two.
[[nodiscard]] constexpr std::size_t magazine_index(std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= fundamental_alignment) [[likely]] {
        const std::size_t index = eighth_classes::index(bytes, alignment);
        return index < classes_with_magazines ? index : magazine_count;
    }
    if (alignment <= cache_line_bytes && bytes <= line_magazines * cache_line_bytes) {
        return classes_with_magazines + (bytes - static_cast<std::size_t>(bytes != 0)) / cache_line_bytes;
    }
    return magazine_count;
}

/// Returns: the shape of the blocks of magazine `index`.
[[nodiscard]] constexpr block_shape magazine_shape(std::size_t index) noexcept {
    if (index >= classes_with_magazines) {
        return {(index - classes_with_magazines + 1) * cache_line_bytes, cache_line_bytes};
    }
    const std::size_t bytes = eighth_classes::bytes(index);
    return {bytes, bytes % fundamental_alignment == 0 ? fundamental_alignment : 8};
}

/// Returns: the capacity of magazine `index`: 64 blocks, or as many as 32 KiB hold, but at least two.
/// Blocks that another thread frees come back in batches of half a magazine: with batches of 16 and fewer, threads wait
/// for each other at the depot.
[[nodiscard]] constexpr std::size_t magazine_capacity(std::size_t index) noexcept {
    return std::clamp<std::size_t>((std::size_t{32} << 10) / magazine_shape(index).bytes, 2, 64);
}

/// Returns: the number of blocks in a batch: half of the capacity.
[[nodiscard]] constexpr std::size_t batch_blocks(std::size_t index) noexcept {
    return magazine_capacity(index) / 2;
}

/// Not thread-safe: it belongs to one thread.
class magazine {
public:
    /// Returns: the block freed last, still poisoned; null if the magazine is empty.
    [[nodiscard]] void* pop() noexcept { return blocks_.pop(); }

    /// Returns: false, with no effect, if make_room() has to be called first.
    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        if (room_ == 0) [[unlikely]] {
            return false;
        }
        --room_;
        blocks_.push(p);
        core::poison(p, magazine_shape(index).bytes);
        return true;
    }

    /// Effects: keeps the blocks freed last, at most half of the capacity. There is room for a push afterwards.
    /// Returns: the others.
    [[nodiscard]] block_stack make_room(std::size_t index) noexcept {
        block_stack excess;
        set_room(index, blocks_.keep(batch_blocks(index), excess));
        return excess;
    }

    /// Returns: the number of blocks to fetch for an empty magazine: one, then twice as many each time, up to
    /// half of the capacity, so that a thread keeps no stock of blocks that it seldom needs. If no fill()
    /// follows, because memory ran out, it begins with one again.
    [[nodiscard]] std::size_t next_batch(std::size_t index) noexcept {
        const std::size_t twice = std::max<std::size_t>(2 * std::size_t{std::exchange(batch_, 0U)}, 1);
        return std::min(twice, batch_blocks(index));
    }

    /// Effects: puts `count` blocks in; the first of them comes out first.
    /// Requires: the magazine is empty, and `count` is at most half of its capacity.
    void fill(void* const* blocks, std::size_t count, std::size_t index) noexcept {
        set_room(index, count);
        batch_ = static_cast<std::uint32_t>(count);
        while (count != 0) {
            void* const p = blocks[--count];
            blocks_.push(p);
            core::poison(p, magazine_shape(index).bytes);
        }
    }

    /// Effects: puts a whole batch in.
    /// Requires: the magazine is empty; the batch has batch_blocks(index) blocks, all poisoned.
    void fill(block_stack batch, std::size_t index) noexcept {
        set_room(index, batch_blocks(index));
        batch_ = static_cast<std::uint32_t>(batch_blocks(index));
        blocks_ = batch;
    }

    /// Effects: empties the magazine and leaves it as it was made.
    [[nodiscard]] block_stack empty_out() noexcept { return std::exchange(*this, magazine{}).blocks_; }

private:
    void set_room(std::size_t index, std::size_t length) noexcept {
        room_ = static_cast<std::uint32_t>(magazine_capacity(index) - length);
    }

    block_stack blocks_;
    std::uint32_t room_ = 0;
    std::uint32_t batch_ = 0; ///< how many were fetched the last time
};

} // namespace mallard::threads::inline MALLARD_LIBRARY

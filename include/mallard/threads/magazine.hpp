/// A thread's stock of free blocks of one shape, used without a lock.
///
///     page_ -> [ link | batch | a | b | . | . ]     the block freed before a and b, which were freed last
///                 v               used_ = 2
///              [ link | batch | c | d | e | f ] -> null
///     previous_ -> a whole batch, in such pages too, or null
///
/// Most deallocations write an address beside another one and touch no free block, and most allocations read an
/// address there. In a list through the blocks each allocation would wait for a link that another processor
/// may have written.
///
/// Data model: a page lists as many blocks as it has words but two, and the next page begins with the block freed
/// then, so that the order is last freed first. Below the first page all are full. The word `batch` is the
/// depot's. Blocks are not counted as they are used, because a counter that each call changes would take as long
/// as the rest of the call. Instead room_ counts deallocations only; when it is 0, make_room() counts the pages.
/// A full stock becomes the previous one, and the previous one goes to the depot.
/// Invariants: the stock has at most a batch of blocks less room_. All bytes of a magazine that was never used are
/// zero. Blocks are poisoned under AddressSanitizer, words and all.
///
/// Source: J. Bonwick, J. Adams, "Magazines and Vmem", USENIX 2001, section 3: the magazine, and the previous one.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::threads::inline MALLARD_LIBRARY {

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
[[nodiscard]] constexpr std::size_t magazine_capacity(std::size_t index) noexcept {
    return std::clamp<std::size_t>((std::size_t{32} << 10) / magazine_shape(index).bytes, 2, 64);
}

/// Returns: the number of blocks in a batch: half of the capacity.
[[nodiscard]] constexpr std::size_t batch_blocks(std::size_t index) noexcept {
    return magazine_capacity(index) / 2;
}

/// The number of addresses in a full page, by magazine: as many as the block has words but two, and none that a batch
/// would leave empty.
inline constexpr std::array<std::uint8_t, magazine_count> page_addresses = [] {
    std::array<std::uint8_t, magazine_count> result{};
    for (std::size_t index = 0; index != magazine_count; ++index) {
        const std::size_t words = std::max<std::size_t>(magazine_shape(index).bytes / sizeof(void*), 2);
        result[index] = static_cast<std::uint8_t>(std::min(words - 2, batch_blocks(index) - 1));
    }
    return result;
}();

/// Free blocks of one shape, poisoned; last in, first out. `index` is the magazine of the shape in all calls.
class block_stack {
public:
    block_stack() = default;

    /// Effects: takes over the whole batch whose first page is `page`.
    block_stack(core::free_block* page, std::size_t index) noexcept
        : page_(page), used_(static_cast<std::uint32_t>((batch_blocks(index) - 1) %
                                                        (page_addresses[index] + std::size_t{1}))) {}

    [[nodiscard]] core::free_block* page() const noexcept { return page_; }

    /// Returns: the block that was put in last, still poisoned; null if there is none.
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        if (used_ != 0) {
            return core::known(core::read_link(place(--used_)));
        }
        core::free_block* const page = page_;
        if (page != nullptr) [[likely]] {
            page_ = core::read_link(core::link_of(page));
            used_ = page_ != nullptr ? page_addresses[index] : 0;
        }
        return page;
    }

    /// Requires: `p` has room for a pointer.
    void push(void* p, std::size_t index) noexcept {
        auto* const block = static_cast<core::free_block*>(p);
        if (page_ != nullptr && used_ != page_addresses[index]) {
            core::write_link(place(used_++), block);
        } else {
            core::write_link(core::link_of(block), page_);
            page_ = block;
            used_ = 0;
        }
    }

    /// Complexity: linear in the pages.
    [[nodiscard]] std::size_t length(std::size_t index) const noexcept {
        if (page_ == nullptr) {
            return 0;
        }
        std::size_t length = 1 + std::size_t{used_};
        for (const core::free_block* page = next_of(page_); page != nullptr; page = next_of(page)) {
            length += 1 + std::size_t{page_addresses[index]};
        }
        return length;
    }

private:
    static core::free_block* next_of(const core::free_block* page) noexcept {
        return core::read_link(core::link_of(const_cast<core::free_block*>(page)));
    }

    [[nodiscard]] core::link_in_place* place(std::uint32_t number) const noexcept {
        return core::link_of(page_ + 2 + number);
    }

    core::free_block* page_ = nullptr;
    std::uint32_t used_ = 0;
};

/// Not thread-safe: it belongs to one thread. `index` is its own number in all calls.
class magazine {
public:
    /// Returns: the block freed last, still poisoned; null if the stock is empty: call pop_previous() then.
    [[nodiscard]] void* pop(std::size_t index) noexcept { return blocks_.pop(index); }

    /// Effects: makes the previous batch the stock.
    /// Requires: the stock is empty.
    /// Returns: its first block, still poisoned; null if there is none.
    [[nodiscard]] void* pop_previous(std::size_t index) noexcept {
        if (previous_ == nullptr) {
            return nullptr;
        }
        blocks_ = block_stack(std::exchange(previous_, nullptr), index);
        room_ = 0;
        return blocks_.pop(index);
    }

    /// Returns: false, with no effect, if make_room() has to be called first.
    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        if (room_ == 0) [[unlikely]] {
            return false;
        }
        --room_;
        blocks_.push(p, index);
        core::poison(p, magazine_shape(index).bytes);
        return true;
    }

    /// Effects: makes room for a push at least.
    /// Returns: the first page of a batch, if one has to go to make it: the blocks freed first. Otherwise null.
    [[nodiscard]] core::free_block* make_room(std::size_t index) noexcept {
        const std::size_t batch = batch_blocks(index);
        const std::size_t length = blocks_.length(index);
        if (length != batch) {
            room_ = static_cast<std::uint32_t>(batch - length);
            return nullptr;
        }
        room_ = static_cast<std::uint32_t>(batch);
        return std::exchange(previous_, std::exchange(blocks_, block_stack()).page());
    }

    /// Returns: the number of blocks to fetch for an empty magazine: one, then twice as many each time, up to
    /// a batch, so that a thread keeps no stock of blocks that it seldom needs. If no fill() follows, because
    /// there was no memory for so many, it begins with one again.
    [[nodiscard]] std::size_t next_batch(std::size_t index) noexcept {
        const std::size_t twice = std::max<std::size_t>(2 * std::size_t{std::exchange(batch_, 0U)}, 1);
        return std::min(twice, batch_blocks(index));
    }

    /// Effects: puts `count` blocks in; the first of them comes out first.
    /// Requires: the magazine is empty, and `count` is at most a batch.
    void fill(void* const* blocks, std::size_t count, std::size_t index) noexcept {
        room_ = static_cast<std::uint32_t>(batch_blocks(index) - count);
        batch_ = static_cast<std::uint32_t>(count);
        while (count != 0) {
            void* const p = blocks[--count];
            blocks_.push(p, index);
            core::poison(p, magazine_shape(index).bytes);
        }
    }

    /// Effects: puts a whole batch in, whose first page is `page`.
    /// Requires: the magazine is empty; the blocks are poisoned.
    void fill(core::free_block* page, std::size_t index) noexcept {
        room_ = 0;
        batch_ = static_cast<std::uint32_t>(batch_blocks(index));
        blocks_ = block_stack(page, index);
    }

    /// Effects: hands all blocks, still poisoned, to `take`, and leaves the magazine as it was made.
    template <class Take>
    void empty_out(std::size_t index, Take take) noexcept {
        for (void* p = pop(index); p != nullptr || (p = pop_previous(index)) != nullptr; p = pop(index)) {
            take(p);
        }
        *this = magazine();
    }

private:
    block_stack blocks_;
    core::free_block* previous_ = nullptr;
    std::uint32_t room_ = 0;
    std::uint32_t batch_ = 0; ///< how many were fetched the last time
};

static_assert(sizeof(magazine) == 32);

} // namespace mallard::threads::inline MALLARD_LIBRARY

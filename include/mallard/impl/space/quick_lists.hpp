/// Blocks that were freed a short time ago, and wait for a request of their size before they are merged.
///
///     heads_:   32 | 48 | 64 | ... | 4112      a list for each size of block
///                    |
///                    v
///                 [ tag ][ next | ... ]  ->  [ tag ][ next | ... ]
///
/// Merging reads and writes both neighbours of a block, and their neighbours in bins: up to ten cache lines that
/// the program does not use. Most programs soon ask for a block of the same size. So a freed block waits in the
/// list of its size, and its neighbours still find it in use. A request that it serves touches no other block.
///
/// Data model: lists that are linked one way, last freed first, and a bit for each list that has a block. A
/// sixteenth of the rooms' bytes may wait, in at most `most_blocks` blocks: each is charged a part of the limit, or
/// its bytes if these are more. So settling has a bound.
///
/// Blocks that wait keep their neighbours apart. Many blocks that are freed in a row are the end of a data
/// structure, and serve later requests better as one free block. So after `most_in_a_row` of them without a request
/// in between, the lists are settled, and further ones are merged at once.
///
/// Invariants: a block in a list has the list's size, and the flags `quick` and `in_use`. The charges of all
/// blocks in lists and `left_` add up to the limit. The rooms change only while all lists are empty.
///
/// Source: Weinstock and Wulf, "Quick fit: an efficient algorithm for heap storage allocation" (1988); Wilson and
/// others, "Dynamic storage allocation: a survey and critical review" (1995), section 3.6, deferred coalescing.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/space/heap_block.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Links>
class quick_lists {
public:
    /// The largest block that waits has room for 4 KiB of the caller's.
    static constexpr std::size_t largest_bytes = 4096 + heap_block::granule_bytes;
    static constexpr std::size_t most_blocks = 4096;
    static constexpr std::size_t most_in_a_row = 64;

    [[nodiscard]] bool empty() const noexcept { return budget_ == limit(); }

    /// Returns: a block of exactly `bytes` bytes, in use again; null if none waits.
    /// Requires: `bytes` is the size of a block, at most largest_bytes.
    [[nodiscard]] heap_block take(std::size_t bytes) noexcept {
        const std::size_t list = list_index(bytes);
        const heap_block b = head(list);
        in_a_row_ = 0;
        if (b) {
            const heap_block next = Links::load(b.next_link());
            set_head(list, next);
            if (!next) {
                bits_[list / 64] &= ~bit(list);
            }
            budget_ += charge(bytes);
            b.clear(heap_block::quick);
        }
        return b;
    }

    /// Effects: lets `b`, of `bytes` bytes, wait, unless it is too large, enough bytes wait, or too many blocks
    /// were put here in a row.
    /// Returns: true if it waits.
    [[nodiscard]] bool put(heap_block b, std::size_t bytes) noexcept {
        const std::size_t charged = charge(bytes);
        if (bytes > largest_bytes || charged > budget_ || in_a_row_ == most_in_a_row) {
            return false;
        }
        ++in_a_row_;
        budget_ -= charged;
        const std::size_t list = list_index(bytes);
        b.set(heap_block::quick);
        Links::store(b.next_link(), head(list));
        set_head(list, b);
        bits_[list / 64] |= bit(list);
        return true;
    }

    /// Returns: true if no block may wait before the next request.
    [[nodiscard]] bool is_end_of_row() const noexcept { return in_a_row_ == most_in_a_row; }

    /// Effects: lets no block wait before the next request.
    void end_row() noexcept { in_a_row_ = most_in_a_row; }

    /// Effects: empties the lists, and calls `give(b)` for each block, in use again.
    /// Complexity: linear in the blocks and in the lists.
    template <class Give>
    void settle(Give give) noexcept {
        budget_ = limit();
        for (std::size_t word = 0; word != bits_.size(); ++word) {
            for (std::uint64_t bits = std::exchange(bits_[word], 0); bits != 0; bits &= bits - 1) {
                const std::size_t list = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                heap_block b = head(list);
                set_head(list, {});
                while (b) {
                    const heap_block next = Links::load(b.next_link());
                    b.clear(heap_block::quick);
                    give(b);
                    b = next;
                }
            }
        }
    }

    /// Effects: forgets all blocks. The rooms have `room_bytes` bytes from now on.
    void clear(std::size_t room_bytes) noexcept {
        if (!empty()) {
            heads_ = {};
            bits_ = {};
        }
        room_bytes_ = room_bytes;
        budget_ = limit();
    }

    /// The bytes of the rooms.
    [[nodiscard]] std::size_t room_bytes() const noexcept { return room_bytes_; }

    /// Returns: true if the lists are sound, have `blocks` blocks, and the rooms `room_bytes` bytes.
    /// Requires: `is_waiting(b, bytes)` is false for a block that does not wait in the list of `bytes`.
    template <class IsWaiting>
    [[nodiscard]] bool are_sound(std::size_t blocks, std::size_t room_bytes,
                                 IsWaiting is_waiting) const noexcept {
        std::size_t sum = budget_;
        std::array<std::uint64_t, words> bits{};
        for (std::size_t list = 0; list != lists; ++list) {
            const std::size_t bytes = heap_block::least_bytes + list * heap_block::granule_bytes;
            for (heap_block b = head(list); b; b = Links::load(b.next_link())) {
                if (blocks == 0 || !is_waiting(b, bytes)) {
                    return false;
                }
                --blocks;
                sum += charge(bytes);
                bits[list / 64] |= bit(list);
            }
        }
        return blocks == 0 && room_bytes_ == room_bytes && sum == limit() && bits_ == bits &&
               in_a_row_ <= most_in_a_row;
    }

private:
    static constexpr std::size_t list_index(std::size_t bytes) noexcept {
        return (bytes - heap_block::least_bytes) / heap_block::granule_bytes;
    }
    static constexpr std::size_t lists = list_index(largest_bytes) + 1;
    static constexpr std::size_t words = (lists + 63) / 64;

    static constexpr std::uint64_t bit(std::size_t list) noexcept { return std::uint64_t{1} << (list % 64); }

    [[nodiscard]] std::size_t limit() const noexcept { return room_bytes_ / 16; }
    [[nodiscard]] std::size_t charge(std::size_t bytes) const noexcept {
        return core::max(bytes, limit() / most_blocks);
    }

    [[nodiscard]] heap_block head(std::size_t list) const noexcept {
        return Links::load(reinterpret_cast<const std::byte*>(&heads_[list]));
    }
    void set_head(std::size_t list, heap_block b) noexcept {
        Links::store(reinterpret_cast<std::byte*>(&heads_[list]), b);
    }

    std::size_t room_bytes_ = 0;
    std::size_t budget_ = 0;
    std::array<std::uint64_t, words> bits_{};
    std::array<std::size_t, lists> heads_{};
    std::size_t in_a_row_ = 0; ///< blocks put here since the last request, counted to most_in_a_row
};

}} // namespace mallard::space::MALLARD_MODE

/// Chunks of a pool in which every block is free.
///
///     free blocks of all lists  ->  sorted by address  ->  runs  ->  a run that fills a chunk: the chunk is empty
///
/// Data model: a free block holds its link and its size in its first two words while it is sorted; nothing else is needed. Sorting
/// distributes them to short ranges of addresses, first by what is known of the chunks, and sets a bit for each of them, and links
/// them in the order of the bits; a few blocks are merged. The lists get back what is left, in the order of addresses.
///
/// Invariants: a block of 8 bytes has no room for its size, and a tag in its link instead. If no block in use has as few, a gap
/// of 8 between two free blocks is padding and never a block. All larger gaps count as used.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/utility.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

/// Free blocks of any sizes, linked.
class block_run {
public:
    using words = core::links<true>;

    block_run() = default;

    /// Effects: makes a run of `first` and the blocks that it leads to.
    explicit block_run(core::free_block* first) noexcept : first_(first) {}

    /// Effects: puts the block in front.
    void push(core::free_block* block, std::size_t bytes) noexcept {
        const bool is_word = bytes == sizeof(core::free_block);
        words::write(block, with_tag(first_, is_word));
        if (!is_word) {
            words::write(block + 1, reinterpret_cast<core::free_block*>(bytes));
        }
        first_ = block;
    }

    [[nodiscard]] core::free_block* first() const noexcept { return first_; }

    /// Returns: the first block, which is taken off; null if there is none.
    core::free_block* pop() noexcept {
        core::free_block* const block = first_;
        if (block != nullptr) {
            first_ = next(block);
        }
        return block;
    }

    /// Complexity: linear.
    void reverse() noexcept {
        core::free_block* rest = std::exchange(first_, nullptr);
        while (rest != nullptr) {
            core::free_block* const block = std::exchange(rest, next(rest));
            link(block, first_);
            first_ = block;
        }
    }

    [[nodiscard]] static core::free_block* next(core::free_block* block) noexcept {
        return with_tag(words::read(block), false);
    }
    [[nodiscard]] static std::size_t bytes(core::free_block* block) noexcept {
        return is_word(block) ? sizeof(core::free_block)
                              : reinterpret_cast<std::uintptr_t>(words::read(block + 1));
    }
    static void link(core::free_block* block, core::free_block* next) noexcept {
        words::write(block, with_tag(next, is_word(block)));
    }

    /// Effects: sorts the blocks by their addresses, and puts `following` behind them.
    /// Requires: `following` is sorted, and has higher addresses.
    /// Complexity: n log n, without `following`.
    void sort(core::free_block* following = nullptr) noexcept { first_ = sort(first_, following); }

    /// Effects: takes the blocks of `other` over.
    /// Requires: both are sorted.
    /// Complexity: linear.
    void merge(block_run other) noexcept { first_ = merge(first_, other.first_); }

    /// Returns: true if the first blocks fill [begin, end), apart from gaps of up to `gap_bytes`.
    /// Requires: the blocks are sorted, and none lies in front of `begin`.
    [[nodiscard]] bool fills(const std::byte* begin, const std::byte* end,
                             std::size_t gap_bytes = padding_bytes) const noexcept {
        const auto most_bytes = static_cast<std::ptrdiff_t>(gap_bytes);
        const std::byte* filled = begin;
        for (core::free_block* block = first_; block != nullptr && at(block) < end; block = next(block)) {
            if (at(block) - filled > most_bytes) {
                return false;
            }
            filled = at(block) + bytes(block);
        }
        return end - filled <= most_bytes;
    }

    /// Effects: takes the blocks in front of `end` away.
    void drop_up_to(const std::byte* end) noexcept {
        while (first_ != nullptr && at(first_) < end) {
            first_ = next(first_);
        }
    }

    [[nodiscard]] bool has_block_before(const std::byte* end) const noexcept {
        return first_ != nullptr && at(first_) < end;
    }

    /// Effects: takes the first block and all that follow one another behind it, apart from gaps of up to `gap_bytes`.
    /// Returns: their memory.
    /// Requires: has_block_before(end).
    [[nodiscard]] std::span<std::byte> take_merged(const std::byte* end,
                                                   std::size_t gap_bytes = padding_bytes) noexcept {
        const auto most_bytes = static_cast<std::ptrdiff_t>(gap_bytes);
        std::byte* const begin = at(first_);
        std::byte* filled = begin;
        while (first_ != nullptr && at(first_) < end && at(first_) - filled <= most_bytes) {
            filled = at(first_) + bytes(first_);
            first_ = next(first_);
        }
        return {begin, filled};
    }

private:
    static constexpr std::ptrdiff_t padding_bytes = 8;
    static constexpr std::uintptr_t word_tag = 1;

    /// Returns: true if the block has 8 bytes.
    [[nodiscard]] static bool is_word(core::free_block* block) noexcept {
        return (reinterpret_cast<std::uintptr_t>(words::read(block)) & word_tag) != 0;
    }
    [[nodiscard]] static core::free_block* with_tag(core::free_block* link, bool is_word) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(link) & ~word_tag;
        return reinterpret_cast<core::free_block*>(address | (is_word ? word_tag : 0));
    }

    [[nodiscard]] static std::byte* at(core::free_block* block) noexcept {
        return reinterpret_cast<std::byte*>(block);
    }

    /// Blocks of so short a range stay in the processor's cache while they are linked.
    static constexpr std::uintptr_t short_range_bytes = std::uintptr_t{64} << 10;
    static constexpr std::uintptr_t granule_bytes = 8; ///< of the addresses
    static constexpr unsigned parts_log2 = 6;
    /// For fewer the bits take longer than a merge.
    static constexpr std::size_t least_blocks_for_bits = 32;

    /// Effects: sorts a list. Distributes blocks of a long range to shorter ones first, because each step of a sort reads all of
    /// them, and misses the cache each time.
    /// Returns: its new first block.
    [[nodiscard]] static core::free_block* sort(core::free_block* list, core::free_block* sorted) noexcept {
        std::uintptr_t lowest = UINTPTR_MAX;
        std::uintptr_t highest = 0;
        std::size_t count = 0;
        for (core::free_block* block = list; block != nullptr; block = next(block)) {
            ++count;
            lowest = core::min(lowest, reinterpret_cast<std::uintptr_t>(block));
            highest = core::max(highest, reinterpret_cast<std::uintptr_t>(block));
        }
        if (list == nullptr || highest - lowest < short_range_bytes) {
            return count < least_blocks_for_bits ? merge(merge_sort(list), sorted)
                                                 : sort_by_bits(list, lowest, sorted);
        }
        std::array<core::free_block*, std::size_t{1} << parts_log2> parts{};
        // At least short_range_bytes, which an analyser does not see through the branch above.
        const auto range_log2 = static_cast<unsigned>(std::bit_width(highest - lowest));
        const unsigned shift = core::max(range_log2, parts_log2) - parts_log2;
        while (list != nullptr) {
            core::free_block* const block = std::exchange(list, next(list));
            core::free_block*& part = parts[(reinterpret_cast<std::uintptr_t>(block) - lowest) >> shift];
            link(block, part);
            part = block;
        }
        for (std::size_t i = parts.size(); i-- != 0;) {
            if (parts[i] != nullptr) {
                sorted = sort(parts[i], sorted);
            }
        }
        return sorted;
    }

    /// Requires: the blocks lie in the short_range_bytes from `lowest` on.
    /// Complexity: linear in the blocks and the range.
    [[nodiscard]] static core::free_block* sort_by_bits(core::free_block* list, std::uintptr_t lowest,
                                                        core::free_block* sorted) noexcept {
        std::array<std::uint64_t, short_range_bytes / granule_bytes / 64> bits{};
        for (core::free_block* block = list; block != nullptr; block = next(block)) {
            const std::uintptr_t index = (reinterpret_cast<std::uintptr_t>(block) - lowest) / granule_bytes;
            bits[index / 64] |= std::uint64_t{1} << index % 64;
        }
        for (std::size_t i = bits.size(); i-- != 0;) {
            for (std::uint64_t word = bits[i]; word != 0;) {
                const auto highest = static_cast<std::uintptr_t>(63 - std::countl_zero(word));
                word ^= std::uint64_t{1} << highest;
                auto* const block =
                    reinterpret_cast<core::free_block*>(lowest + (i * 64 + highest) * granule_bytes);
                link(block, sorted);
                sorted = block;
            }
        }
        return sorted;
    }

    [[nodiscard]] static core::free_block* merge_sort(core::free_block* list) noexcept {
        std::array<core::free_block*, 64> sorted{}; // sorted[i]: 2^i blocks, or none
        while (list != nullptr) {
            core::free_block* merged = std::exchange(list, next(list));
            link(merged, nullptr);
            std::size_t i = 0;
            for (; sorted[i] != nullptr; ++i) {
                merged = merge(std::exchange(sorted[i], nullptr), merged);
            }
            sorted[i] = merged;
        }
        core::free_block* all = nullptr;
        for (core::free_block* run : sorted) {
            all = merge(run, all);
        }
        return all;
    }

    [[nodiscard]] static core::free_block* merge(core::free_block* a, core::free_block* b) noexcept {
        core::free_block* merged = nullptr;
        core::free_block* last = nullptr;
        while (a != nullptr && b != nullptr) {
            core::free_block*& lower = a < b ? a : b;
            core::free_block* const taken = std::exchange(lower, next(lower));
            if (last == nullptr) {
                merged = taken;
            } else {
                link(last, taken);
            }
            last = taken;
        }
        core::free_block* const rest = a != nullptr ? a : b;
        if (last == nullptr) {
            return rest;
        }
        link(last, rest);
        return merged;
    }

    core::free_block* first_ = nullptr;
};

/// Sorts the free blocks of a pool, most of whose time is that of cache misses.
///
///     chunks    [ ............... ][ .... ]         [ ........ ][ .................. ]
///     ranges    [   0   |   1   |    2    ]         [ | 3   |   4   |   5   |   6    ]     equal shares of their bytes
///     lists     the blocks of range 2:  block -> block -> ...
///                                       block -> block -> ...
///
/// Data model: a block that leaves its list of free blocks goes to one of the lists of its range. The blocks of a range stay in
/// the processor's cache while they are sorted. A range has several lists, so that their first blocks come from memory at the same
/// time. It knows no memory but the blocks, and fits on a stack.
class block_sorter {
public:
    /// Requires: `chunks` are sorted.
    /// Complexity: linear in the chunks.
    explicit block_sorter(const block_run& chunks) noexcept {
        std::size_t all_bytes = 0;
        for (core::free_block* chunk = chunks.first(); chunk != nullptr; chunk = block_run::next(chunk)) {
            all_bytes += block_run::bytes(chunk);
        }
        const std::size_t range_bytes = core::max(all_bytes / most_ranges + 1, least_range_bytes);
        begins_.fill(UINTPTR_MAX);
        std::size_t left_bytes = 0; // of the last range
        for (core::free_block* chunk = chunks.first(); chunk != nullptr; chunk = block_run::next(chunk)) {
            auto at = reinterpret_cast<std::uintptr_t>(chunk);
            for (const std::uintptr_t end = at + block_run::bytes(chunk); at != end;) {
                if (left_bytes == 0) {
                    begins_[ranges_++] = at;
                    left_bytes = range_bytes;
                }
                const std::size_t bytes = core::min<std::size_t>(left_bytes, end - at);
                at += bytes;
                left_bytes -= bytes;
            }
        }
    }

    /// Requires: the block lies in a chunk.
    /// Complexity: constant.
    void add(core::free_block* block, std::size_t bytes) noexcept {
        std::size_t range = 0; // a search without branches, which would be mispredicted
        for (std::size_t step = most_ranges / 2; step != 0; step /= 2) {
            range += begins_[range + step] <= reinterpret_cast<std::uintptr_t>(block) ? step : 0;
        }
        next_list_ = (next_list_ + 1) % lists_a_range;
        lists_[range][next_list_].push(block, bytes);
    }

    /// Returns: the blocks in the order of addresses.
    /// Complexity: n log n in the blocks of a range, linear in the ranges.
    [[nodiscard]] block_run sort() noexcept {
        block_run sorted;
        for (std::size_t range = ranges_; range-- != 0;) {
            block_run blocks = join(lists_[range]);
            blocks.sort(sorted.first());
            sorted = blocks;
        }
        return sorted;
    }

private:
    static constexpr std::size_t most_ranges = 128; ///< a power of two
    static constexpr std::size_t least_range_bytes = std::size_t{64} << 10;
    static constexpr std::size_t lists_a_range = 8;

    using range_lists = std::array<block_run, lists_a_range>;

    /// Effects: empties the lists, a block of each in turn.
    /// Returns: their blocks.
    [[nodiscard]] static block_run join(range_lists& lists) noexcept {
        block_run joined;
        for (bool is_empty = false; !is_empty;) {
            is_empty = true;
            for (block_run& list : lists) {
                if (core::free_block* const block = list.pop()) {
                    block_run::link(block, joined.first());
                    joined = block_run(block);
                    is_empty = false;
                }
            }
        }
        return joined;
    }

    std::array<std::uintptr_t, most_ranges> begins_;
    std::array<range_lists, most_ranges> lists_;
    std::size_t ranges_ = 0;
    std::size_t next_list_ = 0;
};

}} // namespace mallard::reuse::MALLARD_LIBRARY

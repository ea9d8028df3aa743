/// The free blocks of a heap in bins by size: two levels of bins, and a bit for each bin that is not empty.
///
///     bytes:   32 | 48 | ... | 1008 | 1024.. | 1056.. | ... | 2048.. | 2112.. | ...
///              a bin for each size  | bins_per_doubling bins for each doubling
///     bits:    one for each bin, and a word of bits for the words of bits that are not 0
///
/// Data model: a bin is a list through its free blocks, linked both ways, because a block leaves its bin whenever
/// a neighbour becomes free. The bin of a size, and the first bin behind it that is not empty, take a few
/// instructions and two words of bits, however many blocks there are.
/// Invariants: a bit is set if its bin has a block; a block is in the bin of its size.
/// Bound: in a bin of different sizes, `most_looked_at` blocks are examined; then the next bin serves the
/// request. The last bin, of all larger sizes, is examined whole.
///
/// Source: Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time systems" (2004).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/reuse/empty_chunks.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::space { inline namespace MALLARD_MODE {

template <class Links>
class segregated_fit {
public:
    static constexpr std::size_t exact_bins = 64;
    static constexpr std::size_t bins_per_doubling_log2 = 4;
    static constexpr std::size_t doublings = 12;
    static constexpr std::size_t lists = exact_bins + (doublings << bins_per_doubling_log2);

    /// Smaller blocks are in bins of one size.
    static constexpr std::size_t exact_bytes = exact_bins * heap_block::granule_bytes;
    /// The number of blocks of a bin that are examined; of the last bin, all are: memory bounds their number.
    static constexpr int most_looked_at = 4;
    static constexpr int most_in_last_bin = 1 << 25;

    [[nodiscard]] bool empty() const noexcept { return summary_ == 0; }

    /// Returns: the bin of blocks of `bytes` bytes. All sizes above the last are in the last bin.
    [[nodiscard]] static constexpr std::size_t bin_index(std::size_t bytes) noexcept {
        const std::size_t granules = bytes / heap_block::granule_bytes;
        if (granules < exact_bins) {
            return granules;
        }
        const auto log2 = core::bit_width(granules) - 1;
        const std::size_t list = exact_bins + ((log2 - exact_log2) << bins_per_doubling_log2) +
                                 ((granules >> (log2 - bins_per_doubling_log2)) & (bins_per_doubling - 1));
        return list < lists ? list : lists - 1;
    }

    /// Returns: a block of exactly `bytes` bytes; null if there is none.
    /// Requires: `bytes` is below exact_bytes.
    [[nodiscard]] heap_block first_in_bin(std::size_t bytes) const noexcept {
        return head(bytes / heap_block::granule_bytes);
    }

    /// Returns: a block of at least `bytes` bytes, as small as the bound allows; null if there is none.
    [[nodiscard]] heap_block find(std::size_t bytes) const noexcept {
        const std::size_t list = bin_index(bytes);
        const heap_block b = find_in(list, bytes);
        return b ? b : first_behind(list);
    }

    /// Returns: a block of the largest bin that is not empty; null if all are.
    [[nodiscard]] heap_block largest() const noexcept {
        if (summary_ == 0) {
            return {};
        }
        const auto word = core::bit_width(summary_) - 1;
        return head(word * 64 + core::bit_width(bits_[word]) - 1);
    }

    /// Effects: makes `b` a free block of `bytes` bytes, and enters it.
    void insert(heap_block b, std::size_t bytes) noexcept {
        const std::size_t list = bin_index(bytes);
        const heap_block first = head(list);
        b.make_free(bytes);
        Links::store(b.next_link(), first);
        Links::store(b.previous_link(), {});
        if (first) {
            Links::store(first.previous_link(), b);
        }
        set_head(list, b);
        bits_[list / 64] |= bit(list);
        summary_ |= 1U << (list / 64);
    }

    /// Effects: takes `b`, which has `bytes` bytes, out.
    void remove(heap_block b, std::size_t bytes) noexcept {
        const heap_block next = Links::load(b.next_link());
        const heap_block previous = Links::load(b.previous_link());
        if (next) {
            Links::store(next.previous_link(), previous);
        }
        if (previous) {
            Links::store(previous.next_link(), next);
        } else {
            became_first(bin_index(bytes), next);
        }
    }

    /// Effects: changes the size of the free block `b` from `bytes` to `new_bytes`.
    void resize(heap_block b, std::size_t bytes, std::size_t new_bytes) noexcept {
        if (bin_index(bytes) == bin_index(new_bytes)) {
            b.make_free(new_bytes);
        } else {
            remove(b, bytes);
            insert(b, new_bytes);
        }
    }

    /// Effects: moves the begin of the free block `b` from `bytes` bytes to `to`. It has `new_bytes` bytes then.
    void move(heap_block b, std::size_t bytes, heap_block to, std::size_t new_bytes) noexcept {
        const std::size_t list = bin_index(bytes);
        if (list != bin_index(new_bytes)) {
            remove(b, bytes);
            insert(to, new_bytes);
            return;
        }
        const heap_block next = Links::load(b.next_link());
        const heap_block previous = Links::load(b.previous_link());
        to.make_free(new_bytes);
        Links::store(to.next_link(), next);
        Links::store(to.previous_link(), previous);
        if (next) {
            Links::store(next.previous_link(), to);
        }
        if (previous) {
            Links::store(previous.next_link(), to);
        } else {
            set_head(list, to);
        }
    }

    /// Effects: takes `b`, the first of its bin, of `bytes` bytes, out.
    /// Requires: `bytes` is below exact_bytes.
    void remove_first(heap_block b, std::size_t bytes) noexcept {
        const heap_block next = Links::load(b.next_link());
        if (next) {
            Links::store(next.previous_link(), {});
        }
        became_first(bytes / heap_block::granule_bytes, next);
    }

    /// Effects: brings each bin into the order of addresses, the lowest one first.
    /// Complexity: n log n in the blocks, each of which is read.
    void sort() noexcept {
        reuse::block_run blocks; // of payloads, which have its two words
        for (std::size_t list = 0; list != lists; ++list) {
            for (heap_block b = head(list); b;) {
                const heap_block next = Links::load(b.next_link());
                blocks.push(reinterpret_cast<core::free_block*>(b.payload()), b.bytes());
                b = next;
            }
        }
        clear();
        blocks.sort();
        blocks.reverse();
        while (core::free_block* const block = blocks.pop()) {
            insert(heap_block::holding(block), reuse::block_run::bytes(block));
        }
    }

    /// Effects: forgets all blocks.
    void clear() noexcept {
        for (std::uint32_t words = summary_; words != 0; words &= words - 1) {
            const auto word = static_cast<std::size_t>(std::countr_zero(words));
            for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
                heads_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = 0;
            }
            bits_[word] = 0;
        }
        summary_ = 0;
    }

    /// Returns: true if `b`, of `bytes` bytes, is the first of its bin, whose bit is set.
    [[nodiscard]] bool is_first(heap_block b, std::size_t bytes) const noexcept {
        const std::size_t list = bin_index(bytes);
        return head(list) == b && (bits_[list / 64] & bit(list)) != 0 &&
               (summary_ & (1U << (list / 64))) != 0;
    }

    /// Returns: true if each bin has a block if and only if its bit is set.
    [[nodiscard]] bool is_consistent() const noexcept {
        std::uint32_t words = 0;
        bool agree = true;
        for (std::size_t list = 0; list != lists; ++list) {
            const bool set = (bits_[list / 64] & bit(list)) != 0;
            agree = agree && set == (heads_[list] != 0);
            words |= static_cast<std::uint32_t>(set) << (list / 64);
        }
        return agree && words == summary_;
    }

    /// Returns: the number of bins whose bit is set.
    [[nodiscard]] std::size_t bins_in_use() const noexcept {
        std::size_t sum = 0;
        for (const std::uint64_t word : bits_) {
            sum += static_cast<std::size_t>(std::popcount(word));
        }
        return sum;
    }

private:
    static constexpr std::size_t bins_per_doubling = std::size_t{1} << bins_per_doubling_log2;
    static constexpr std::size_t exact_log2 = 6;
    static_assert(std::size_t{1} << exact_log2 == exact_bins && lists % 64 == 0);

    static constexpr std::uint64_t bit(std::size_t list) noexcept { return std::uint64_t{1} << (list % 64); }

    [[nodiscard]] std::byte* head_at(std::size_t list) noexcept {
        return reinterpret_cast<std::byte*>(&heads_[list]);
    }
    [[nodiscard]] heap_block head(std::size_t list) const noexcept {
        return Links::load(reinterpret_cast<const std::byte*>(&heads_[list]));
    }
    void set_head(std::size_t list, heap_block b) noexcept { Links::store(head_at(list), b); }

    void became_first(std::size_t list, heap_block b) noexcept {
        set_head(list, b);
        if (!b) {
            bits_[list / 64] &= ~bit(list);
            if (bits_[list / 64] == 0) {
                summary_ &= ~(1U << (list / 64));
            }
        }
    }

    [[nodiscard]] heap_block find_in(std::size_t list, std::size_t bytes) const noexcept {
        heap_block b = head(list);
        const bool is_last_bin = list == lists - 1;
        const int most = is_last_bin ? most_in_last_bin : most_looked_at;
        for (int looked_at = 0; b && looked_at != most; ++looked_at) {
            if (b.bytes() >= bytes) {
                return b;
            }
            b = Links::load(b.next_link());
        }
        if (b && is_last_bin) [[unlikely]] {
            core::fail_damaged_free_memory(b.payload());
        }
        return {};
    }

    /// Returns: the first block of the next bin that is not empty; null if all of these are.
    [[nodiscard]] heap_block first_behind(std::size_t list) const noexcept {
        std::size_t word = list / 64;
        std::uint64_t bits = bits_[word] & (~std::uint64_t{1} << (list % 64));
        if (bits == 0) {
            const std::uint32_t words = summary_ & (~std::uint32_t{1} << word);
            if (words == 0) {
                return {};
            }
            word = static_cast<std::size_t>(std::countr_zero(words));
            bits = bits_[word];
        }
        return head(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }

    std::uint32_t summary_ = 0;
    std::array<std::uint64_t, lists / 64> bits_{};
    std::array<std::size_t, lists> heads_{};
};

}} // namespace mallard::space::MALLARD_MODE

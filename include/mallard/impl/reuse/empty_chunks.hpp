/// Chunks of a pool in which every block is free.
///
///     free blocks of all lists  ->  sorted by address  ->  runs  ->  a run that fills a chunk: the chunk is empty
///
/// Data model: a free block holds its link and its size in its first two words while it is sorted; nothing else is needed. Sorting
/// is a merge of linked runs. The lists get back what is left, in the order of addresses.
///
/// Invariants: blocks have at least 16 bytes, so that a gap of 8 between two free blocks is padding and never a block. All
/// larger gaps count as used.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mallard::reuse::inline MALLARD_LIBRARY {

/// Free blocks of any sizes, linked.
class block_run {
public:
    using words = core::links<true>;

    block_run() = default;

    /// Effects: puts the block in front.
    void push(core::free_block* block, std::size_t bytes) noexcept {
        words::write(block, first_);
        words::write(block + 1, reinterpret_cast<core::free_block*>(bytes));
        first_ = block;
    }

    [[nodiscard]] core::free_block* first() const noexcept { return first_; }

    [[nodiscard]] static core::free_block* next(core::free_block* block) noexcept {
        return words::read(block);
    }
    [[nodiscard]] static std::size_t bytes(core::free_block* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(words::read(block + 1));
    }
    static void link(core::free_block* block, core::free_block* next) noexcept { words::write(block, next); }

    /// Effects: sorts the blocks by their addresses.
    /// Complexity: n log n.
    void sort() noexcept {
        std::array<core::free_block*, 64> sorted{}; // sorted[i]: 2^i blocks, or none
        core::free_block* rest = first_;
        while (rest != nullptr) {
            core::free_block* merged = std::exchange(rest, next(rest));
            link(merged, nullptr);
            std::size_t i = 0;
            for (; sorted[i] != nullptr; ++i) {
                merged = merge(std::exchange(sorted[i], nullptr), merged);
            }
            sorted[i] = merged;
        }
        first_ = nullptr;
        for (core::free_block* run : sorted) {
            first_ = merge(run, first_);
        }
    }

    /// Returns: true if the first blocks fill [begin, end), apart from padding.
    /// Requires: the blocks are sorted, and none lies in front of `begin`.
    [[nodiscard]] bool fills(const std::byte* begin, const std::byte* end) const noexcept {
        const std::byte* filled = begin;
        for (core::free_block* block = first_; block != nullptr && at(block) < end; block = next(block)) {
            if (at(block) - filled > padding_bytes) {
                return false;
            }
            filled = at(block) + bytes(block);
        }
        return end - filled <= padding_bytes;
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

    /// Effects: takes the first block and all that follow one another behind it.
    /// Returns: their memory.
    /// Requires: has_block_before(end).
    [[nodiscard]] std::span<std::byte> take_merged(const std::byte* end) noexcept {
        std::byte* const begin = at(first_);
        std::byte* filled = begin;
        while (first_ != nullptr && at(first_) < end && at(first_) - filled <= padding_bytes) {
            filled = at(first_) + bytes(first_);
            first_ = next(first_);
        }
        return {begin, filled};
    }

private:
    static constexpr std::ptrdiff_t padding_bytes = 8;

    [[nodiscard]] static std::byte* at(core::free_block* block) noexcept {
        return reinterpret_cast<std::byte*>(block);
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

} // namespace mallard::reuse::inline MALLARD_LIBRARY

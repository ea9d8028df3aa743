/// The blocks of one size in runs with a bitmap; the free block of the lowest address is the next.
///
///     run:   [ header | bitmap ][ block 0 | block 1 | ... | block n - 1 ]
///                       a bit for each block, set where it is free
///
///     newest_ -> run -> ... -> first run      by age: a block is looked for in the large runs first
///     bottom_ -> run -> ... -> highest run    by address
///                  ^ lowest_                  nothing is free in the runs before this one
///
/// All bits of a new run are set, so that blocks are carved in the order of their addresses. The bitmap lies
/// apart from the blocks: freeing touches no block, and a search reads 64 bits at a time.
///
/// A pool of many sizes makes runs that share its room (add_run()). A run has as many blocks as all runs before
/// it, if there is room. So most blocks are in the newest runs, and the run of a block is found in constant time
/// on average, until runs are as long as the largest chunk. A pool of one size makes one run of each room
/// (carve()).
/// Invariant: no bit is set below a run's `first_word`.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::reuse::inline MALLARD_MODE {

class block_runs {
public:
    /// Requires: `block_bytes` is a multiple of 4, at least 4. `alignment` is that of the blocks, if it divides
    /// their size.
    explicit constexpr block_runs(std::size_t block_bytes,
                                  std::size_t alignment = fundamental_alignment) noexcept
        : block_bytes_(static_cast<std::uint32_t>(block_bytes)),
          reciprocal_(static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + block_bytes - 1) / block_bytes)),
          alignment_(static_cast<std::uint32_t>(alignment)) {}

    /// Returns: the free block of the lowest address, poisoned; null if none is free.
    /// Complexity: constant on average; at most linear in the words of the bitmap.
    [[nodiscard]] void* pop() noexcept {
        if (lowest_ == nullptr) {
            return nullptr;
        }
        run& from = *lowest_;
        std::uint64_t* word = from.bitmap() + from.first_word;
        while (*word == 0) {
            ++word;
        }
        const auto bit = static_cast<std::size_t>(std::countr_zero(*word));
        *word &= *word - 1;
        from.first_word = static_cast<std::uint32_t>(word - from.bitmap());
        if (--from.free_blocks == 0) [[unlikely]] {
            find_lowest();
        }
        return from.blocks + (from.first_word * std::size_t{64} + bit) * block_bytes_;
    }

    /// Effects: makes `p` free and poisons it.
    /// Requires: `p` is a block of one of the runs.
    void push(void* p) noexcept {
        auto* block = static_cast<std::byte*>(p);
        run* of = newest_;
        while (!of->has(block)) {
            of = of->older;
        }
        // The quotient of a multiple of the block size below 2^32 is exact.
        const auto offset = static_cast<std::uint64_t>(block - of->blocks);
        const std::uint64_t number = offset * reciprocal_ >> 32;
        const auto word = static_cast<std::uint32_t>(number / 64);
        of->bitmap()[word] |= std::uint64_t{1} << number % 64;
        of->first_word = std::min(of->first_word, word);
        ++of->free_blocks;
        if (lowest_ == nullptr || of->blocks < lowest_->blocks) {
            lowest_ = of;
        }
        core::poison(p, block_bytes_);
    }

    /// Effects: makes a run at the front of [cursor, limit), of as many blocks as there are already, and moves
    /// the cursor behind it.
    /// Requires: the room holds at least least_bytes(block_bytes()), and is poisoned.
    void add_run(std::byte*& cursor, std::byte* limit) noexcept {
        add_run(cursor, limit, std::max<std::size_t>(blocks_, 1));
    }

    /// Effects: makes a run of all of [cursor, limit), and takes its first block.
    /// Returns: the block, still poisoned; null if the room is too short.
    /// Requires: the room is poisoned.
    [[nodiscard, gnu::cold, gnu::noinline]] void* carve(std::byte*& cursor, std::byte* limit) noexcept {
        if (static_cast<std::size_t>(limit - cursor) < room()) {
            return nullptr;
        }
        add_run(cursor, limit, most_blocks());
        return pop();
    }

    /// Returns: the most room that `blocks` blocks, at least one, need in the runs of carve().
    [[nodiscard]] constexpr std::size_t room(std::size_t blocks = 1) const noexcept {
        const std::size_t runs = (blocks - 1) / most_blocks() + 1;
        return runs * (fixed_bytes() + 8) + blocks * block_bytes_ + blocks / 8;
    }

    /// Returns: the number of blocks that carve() makes of a new room.
    [[nodiscard]] constexpr std::size_t blocks_in(std::size_t bytes) const noexcept {
        std::size_t sum = 0;
        while (bytes >= room()) {
            const std::size_t count = std::min(fitting(bytes), most_blocks());
            sum += count;
            bytes -= std::min(bytes, room(count));
        }
        return sum;
    }

    [[nodiscard]] bool empty() const noexcept { return lowest_ == nullptr; }

    /// Effects: forgets all blocks.
    void clear() noexcept { *this = block_runs(block_bytes_, alignment_); }

    [[nodiscard]] constexpr std::size_t block_bytes() const noexcept { return block_bytes_; }

    /// Returns: the most room that a run of one block needs, at the fundamental alignment or below.
    [[nodiscard]] static constexpr std::size_t least_bytes(std::size_t block_bytes) noexcept {
        return sizeof(run) + fundamental_alignment + block_bytes + 8;
    }

private:
    struct run {
        run* older = nullptr;
        run* above = nullptr;
        std::byte* blocks = nullptr;
        std::byte* end = nullptr;
        std::uint32_t first_word = 0;
        std::uint32_t free_blocks = 0;

        [[nodiscard]] std::uint64_t* bitmap() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
        [[nodiscard]] bool has(const std::byte* block) const noexcept {
            return block >= blocks && block < end;
        }
    };

    /// The header, the last word of the bitmap, and the padding: in front of the header if blocks are no
    /// multiples of 8, in front of the blocks if they are multiples of more.
    [[nodiscard]] constexpr std::size_t fixed_bytes() const noexcept {
        return sizeof(run) + std::max<std::size_t>(alignment_, fundamental_alignment);
    }

    /// Offsets of blocks in a run are less than 2^31, which keeps quotients exact.
    [[nodiscard]] constexpr std::size_t most_blocks() const noexcept {
        return (std::size_t{1} << 31) / block_bytes_;
    }

    /// Returns: the number of blocks that a room holds in one run.
    [[nodiscard]] constexpr std::size_t fitting(std::size_t room_bytes) const noexcept {
        return 8 * (room_bytes - fixed_bytes()) / (8 * std::size_t{block_bytes_} + 1);
    }

    void add_run(std::byte*& cursor, std::byte* limit, std::size_t most) noexcept {
        const std::size_t count =
            std::min({fitting(static_cast<std::size_t>(limit - cursor)), most, most_blocks()});
        const std::size_t words = (count + 63) / 64;
        cursor += core::padding_to(cursor, alignof(run));
        std::byte* const metadata_end = cursor + sizeof(run) + words * sizeof(std::uint64_t);
        core::unpoison(cursor, static_cast<std::size_t>(metadata_end - cursor));
        auto* added = ::new (cursor) run{};
        added->blocks =
            metadata_end + (block_bytes_ % alignment_ == 0 ? core::padding_to(metadata_end, alignment_) : 0);
        added->end = added->blocks + count * block_bytes_;
        added->free_blocks = static_cast<std::uint32_t>(count);
        std::fill_n(added->bitmap(), words, ~std::uint64_t{0});
        if (count % 64 != 0) {
            added->bitmap()[words - 1] = (std::uint64_t{1} << count % 64) - 1;
        }
        link(added);
        blocks_ += count;
        cursor = added->end;
    }

    void link(run* added) noexcept {
        added->older = newest_;
        newest_ = added;
        run** below = &bottom_;
        while (*below != nullptr && (*below)->blocks < added->blocks) {
            below = &(*below)->above;
        }
        added->above = *below;
        *below = added;
        if (lowest_ == nullptr || added->blocks < lowest_->blocks) {
            lowest_ = added;
        }
    }

    void find_lowest() noexcept {
        while (lowest_ != nullptr && lowest_->free_blocks == 0) {
            lowest_ = lowest_->above;
        }
    }

    run* lowest_ = nullptr;
    run* newest_ = nullptr;
    run* bottom_ = nullptr;
    std::size_t blocks_ = 0;
    std::uint32_t block_bytes_;
    std::uint32_t reciprocal_;
    std::uint32_t alignment_;
};

} // namespace mallard::reuse::inline MALLARD_MODE

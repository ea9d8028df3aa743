/// The shadow of an allocator: every block in use, known by the words written to it.
///
///     block:   [ word | word | ...  word .......... word .......... | ... | word | word | tail ]
///                first words          one in each step                     last words
///
/// Data model: a vector of the blocks in arbitrary order, so that a random block is removed in constant time. Each block
/// has a unique mark, from which its words are derived. Writing the second of two overlapping blocks, or a block that was
/// allocated twice, corrupts the words of the first, which look_at() detects. Small blocks are written completely. A
/// short block inside the unwritten part of a long one corrupts no word; look_at_all() detects it by sorting addresses.
/// Invariants: a block has `bytes` bytes, and live_bytes() is their sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace soak {

struct live_block {
    std::byte* p = nullptr;
    std::size_t bytes = 0;
    std::uint64_t mark = 0;    ///< larger for later blocks
    std::size_t alignment = 1; ///< the requested alignment
};

class live_blocks {
public:
    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }
    [[nodiscard]] const live_block& operator[](std::size_t i) const noexcept { return blocks_[i]; }
    [[nodiscard]] std::span<const live_block> all() const noexcept { return blocks_; }

    /// Returns: the mark of the next block; earlier blocks have smaller ones.
    [[nodiscard]] std::uint64_t next_mark() const noexcept { return next_mark_; }

    /// Effects: records an allocated block and writes to it.
    /// Returns: the fault of the block, or null.
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t alignment);

    /// Effects: takes the block over from another shadow, with its contents.
    void add_written(const live_block& b);

    /// Effects: verifies the block and removes it.
    [[nodiscard]] const char* remove(std::size_t i);

    /// Effects: records that the block is now at `p` with `bytes` bytes. The first `kept_bytes` must hold the old contents.
    [[nodiscard]] const char* resize(std::size_t i, void* p, std::size_t bytes, std::size_t kept_bytes);

    /// Returns: the fault in the bytes of the block, or null.
    [[nodiscard]] const char* look_at(std::size_t i) const {
        return look_at_first(blocks_[i], blocks_[i].bytes);
    }

    /// Returns: a fault in the bytes of any block, or in its place; else null.
    /// Complexity: O(n log n).
    [[nodiscard]] const char* look_at_all();

    /// Effects: removes the blocks whose mark is `mark` or larger.
    void forget_from(std::uint64_t mark);

    void clear() noexcept;

private:
    static void write(const live_block& b);
    [[nodiscard]] static const char* look_at_first(const live_block& b, std::size_t bytes);

    std::vector<live_block> blocks_;
    std::vector<live_block> sorted_; ///< of look_at_all(), kept for its memory
    std::size_t live_bytes_ = 0;
    std::uint64_t next_mark_ = 1;
};

} // namespace soak

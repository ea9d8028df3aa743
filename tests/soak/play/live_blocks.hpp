/// The shadow of an allocator: every block in use, known by the words written to it.
///
///     block:   [ word | word | ...  word .......... word .......... | ... | word | word | tail ]
///                first words          one in each step                     last words
///
/// Data model: a vector of the blocks, in no order, so that one drawn at random is found and removed in constant
/// time. Each has a mark of its own, from which all of its words follow. Two blocks that overlap, or one that was
/// given out twice, break each other's words as soon as the second is written; a look at the first shows it. Small
/// blocks are written whole. A short block inside the unwritten part of a long one breaks no word: look_at_all()
/// finds it by sorting the addresses.
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
    std::uint64_t mark = 0;    ///< the larger, the later it was made, until it is mixed into words
    std::size_t alignment = 1; ///< that it was asked for at
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

    /// Effects: remembers a block that was asked for, and writes to it.
    /// Returns: its fault, or null.
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t alignment);

    /// Effects: takes the block over from another shadow, with its contents.
    void add_written(const live_block& b);

    /// Effects: looks at the block and forgets it.
    [[nodiscard]] const char* remove(std::size_t i);

    /// Effects: the block is at `p` now and has `bytes` bytes. Its first `kept_bytes` must have the contents from its former
    /// place.
    [[nodiscard]] const char* resize(std::size_t i, void* p, std::size_t bytes, std::size_t kept_bytes);

    /// Returns: the fault in the bytes of the block, or null.
    [[nodiscard]] const char* look_at(std::size_t i) const {
        return look_at_first(blocks_[i], blocks_[i].bytes);
    }

    /// Returns: a fault in the bytes of any block, or in its place; else null.
    /// Complexity: as sorting them.
    [[nodiscard]] const char* look_at_all();

    /// Effects: forgets those whose mark is `mark` or larger.
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

/// The shadow of an allocator: address, requested and usable size, and contents of each live block.
///
///     complete:   every byte of a block is written, and an ordered map compares its place with its neighbours at once
///     sampled:    [ word | word | ... word ......... word ......... | ... | word ]   both ends, and words in between;
///                 look_at_all() compares all places, in O(n log n)
///
/// Data model: the blocks in arbitrary order, so that a random block is removed in constant time. A word depends on the
/// stamp of its block and on its address, so that a block is verified after it has grown in either direction. Writing
/// the second of two overlapping blocks corrupts the words of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace model {

struct block {
    std::byte* p = nullptr;
    std::size_t bytes = 0;           ///< usable
    std::size_t requested_bytes = 0; ///< at most `bytes`; any number between frees the block
    std::size_t alignment = 1;
    std::uint64_t stamp = 0; ///< larger for later blocks

    /// Effects: writes to every byte.
    void write() const;
    [[nodiscard]] bool is_intact() const;
};

enum class detail : std::uint8_t { complete, sampled };

class shadow {
public:
    explicit shadow(detail contents = detail::complete) : contents_(contents) {}

    [[nodiscard]] bool is_complete() const noexcept { return contents_ == detail::complete; }
    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return blocks_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const block& operator[](std::size_t i) const noexcept { return blocks_[i]; }

    /// Returns: the stamp of the next block; earlier blocks have smaller ones.
    [[nodiscard]] std::uint64_t next_stamp() const noexcept { return next_stamp_; }

    /// Effects: records a block of `bytes` usable and `requested_bytes` requested bytes, and writes to it.
    /// Returns: the fault of the block, or null.
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t requested_bytes,
                                  std::size_t alignment);
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t alignment) {
        return add(p, bytes, bytes, alignment);
    }

    /// Effects: takes the block over from another shadow, with its contents.
    [[nodiscard]] const char* add_written(const block& b);

    /// Effects: records that the i-th block is now at `p` with `bytes` bytes. Its old contents are verified as far as it
    /// still has them.
    [[nodiscard]] const char* resize(std::size_t i, void* p, std::size_t bytes, std::size_t requested_bytes);

    /// Effects: verifies and removes the i-th block, whose index the last block takes.
    [[nodiscard]] const char* remove(std::size_t i);

    /// Effects: removes the blocks whose stamp is `stamp` or larger.
    void forget_from(std::uint64_t stamp);

    void clear() noexcept;

    /// Returns: the fault in the bytes of the i-th block, or null.
    [[nodiscard]] const char* look_at(std::size_t i) const;

    /// Returns: a fault in the bytes or the place of any block, or null.
    [[nodiscard]] const char* look_at_all() const;

    /// Returns: the end of the block that begins at `p`, or null.
    /// Requires: the shadow is complete.
    [[nodiscard]] const std::uintptr_t* find_end(const void* p) const;

private:
    [[nodiscard]] const char* place(const block& b);
    void displace(const block& b);
    void write(const block& b) const;
    [[nodiscard]] bool is_intact(const block& b, const std::byte* begin, const std::byte* end) const;

    detail contents_;
    std::map<std::uintptr_t, std::uintptr_t> intervals_; ///< begin -> end
    std::vector<block> blocks_;
    mutable std::vector<block> sorted_; ///< of look_at_all(), kept for its memory
    std::size_t bytes_ = 0;
    std::uint64_t next_stamp_ = 1;
};

} // namespace model

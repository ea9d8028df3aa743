/// The shadow of a heap: address, requested and usable size, and contents of each live block.
///
///     intervals_:  begin -> end of each live block, ordered by address
///     blocks_:     the blocks in arbitrary order, for random choice by index
///
/// The contents depend on the address and the block, so that a block can be verified after it has grown in either
/// direction or shrunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace fuzz {

class shadow_heap {
public:
    struct block {
        std::byte* p = nullptr;
        std::size_t bytes = 0; ///< usable bytes, all of them written
        std::size_t requested_bytes =
            0; ///< no fewer, no more than `bytes`: any number between frees the block
        std::size_t alignment = 1;
        std::uint64_t stamp = 0;
    };

    /// Effects: records a block of `bytes` usable and `requested_bytes` requested bytes, and writes to it.
    /// Returns: the fault of the block, or null.
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t requested_bytes,
                                  std::size_t alignment);

    /// Effects: records that the i-th block is now at `p` with `bytes` bytes. Its old contents are verified before new bytes
    /// are written.
    [[nodiscard]] const char* resize(std::size_t i, void* p, std::size_t bytes, std::size_t requested_bytes);

    /// Effects: verifies and removes the i-th block, whose index the last block takes.
    [[nodiscard]] const char* remove(std::size_t i);

    void clear();

    [[nodiscard]] const char* look_at(std::size_t i) const;
    [[nodiscard]] const char* look_at_all() const;

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] const block& operator[](std::size_t i) const { return blocks_[i]; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    /// Returns: the end of the block that begins at `p`, or null.
    [[nodiscard]] const std::uintptr_t* find_end(const void* p) const;

private:
    [[nodiscard]] const char* place(const block& b);
    void displace(const block& b);

    std::map<std::uintptr_t, std::uintptr_t> intervals_;
    std::vector<block> blocks_;
    std::size_t bytes_ = 0;
    std::uint64_t next_stamp_ = 1;
};

} // namespace fuzz

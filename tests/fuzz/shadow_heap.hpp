/// The blocks that a heap has given out, kept outside of it: the place of each, the part of it that is the user's, and its
/// contents.
///
///     intervals_:  begin -> end of each live block, in the order of their addresses
///     blocks_:     the blocks in no order, so that any of them can be drawn
///
/// The contents depend on the address and on the block, so that a block can be compared after it has grown in either
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
        std::size_t bytes = 0; ///< that the user may use, all of them written
        std::size_t requested_bytes =
            0; ///< no fewer, no more than `bytes`: any number between frees the block
        std::size_t alignment = 1;
        std::uint64_t stamp = 0;
    };

    /// Effects: remembers a block of `bytes` bytes, of which `asked_bytes` were asked for, and writes to it.
    /// Returns: null, or its fault.
    [[nodiscard]] const char* add(void* p, std::size_t bytes, std::size_t requested_bytes,
                                  std::size_t alignment);

    /// Effects: remembers that the i-th block is now at `p` with `bytes` bytes. The part that it keeps is compared before it
    /// is written.
    [[nodiscard]] const char* resize(std::size_t i, void* p, std::size_t bytes, std::size_t requested_bytes);

    /// Effects: looks at the i-th block a last time, and forgets it; the last one is the i-th now.
    [[nodiscard]] const char* remove(std::size_t i);

    void clear();

    [[nodiscard]] const char* look_at(std::size_t i) const;
    [[nodiscard]] const char* look_at_all() const;

    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] const block& operator[](std::size_t i) const { return blocks_[i]; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    /// Returns: the bytes of the block that begins at `p`; null if none does.
    [[nodiscard]] const std::uintptr_t* end_of(const void* p) const;

private:
    [[nodiscard]] const char* place(const block& b);
    void displace(const block& b);

    std::map<std::uintptr_t, std::uintptr_t> intervals_;
    std::vector<block> blocks_;
    std::size_t bytes_ = 0;
    std::uint64_t next_stamp_ = 1;
};

} // namespace fuzz

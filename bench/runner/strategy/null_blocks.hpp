/// Floors of continuous work: present memory, reused without a list.
#pragma once

#include <mallard/core/alignment.hpp>

#include <cstddef>
#include <span>

namespace bench {

/// Reuses the block that was freed last, for work that frees a block before it allocates the next.
class null_slots {
public:
    /// Requires: `memory` holds as many blocks as are in use at a time.
    explicit null_slots(std::span<std::byte> memory) noexcept : next_(memory.data()) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) noexcept {
        std::byte* const block = next_;
        next_ += bytes; // for the first blocks; each later one reuses the freed block
        return block;
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept { next_ = static_cast<std::byte*>(p); }

private:
    std::byte* next_;
};

/// Advances through its memory, and wraps around where a block does not fit.
class null_circle {
public:
    /// Requires: the blocks in use, and those allocated since, never take more than `memory` together.
    explicit null_circle(std::span<std::byte> memory) noexcept
        : begin_(memory.data()), cursor_(memory.data()), end_(memory.data() + memory.size()) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        std::byte* block = cursor_ + mallard::core::padding_to(cursor_, alignment);
        if (bytes > static_cast<std::size_t>(end_ - block)) [[unlikely]] {
            block = begin_ + mallard::core::padding_to(begin_, alignment);
        }
        cursor_ = block + bytes;
        return block;
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    /// Effects: excludes the blocks allocated so far from reuse.
    void keep() noexcept { begin_ = cursor_; }

private:
    std::byte* begin_;
    std::byte* cursor_;
    std::byte* end_;
};

} // namespace bench

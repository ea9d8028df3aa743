/// malloc, realloc and free over an allocator of a build, for libraries that free without a size: the size is stored
/// in front of each block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace case_studies {

template <class Mechanism>
class sized_blocks {
public:
    inline static Mechanism mechanism;

    static void* allocate(std::size_t bytes) {
        auto* const block = static_cast<std::byte*>(mechanism.allocate(bytes + front, front));
        std::memcpy(block, &bytes, sizeof bytes);
        return block + front;
    }
    static void* reallocate(void* block, std::size_t bytes) {
        void* const moved = allocate(bytes);
        if (block != nullptr) {
            std::memcpy(moved, block, std::min(block_bytes(block), bytes));
            deallocate(block);
        }
        return moved;
    }
    static void deallocate(void* block) noexcept {
        if (block != nullptr) {
            mechanism.deallocate(static_cast<std::byte*>(block) - front, block_bytes(block) + front, front);
        }
    }

    static constexpr std::size_t front = 16; // bytes

    static std::size_t block_bytes(const void* block) noexcept {
        std::size_t bytes = 0;
        std::memcpy(&bytes, static_cast<const std::byte*>(block) - front, sizeof bytes);
        return bytes;
    }
};

} // namespace case_studies

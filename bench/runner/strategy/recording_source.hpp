/// A source that counts its requests, for untimed passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

class recording_source {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        ++allocations;
        largest_bytes = std::max(largest_bytes, bytes);
        largest_alignment = std::max(largest_alignment, alignment);
        return std::allocator<std::byte>().allocate(bytes);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
        ++deallocations;
        std::allocator<std::byte>().deallocate(static_cast<std::byte*>(p), bytes);
    }

    std::int64_t allocations = 0;
    std::int64_t deallocations = 0;
    std::size_t largest_bytes = 0;
    std::size_t largest_alignment = 0;
};

} // namespace bench

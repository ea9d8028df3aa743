/// The global allocator as std::allocator calls it (new-delete), in the shape of a mechanism.
#pragma once

#include <cstddef>
#include <memory>

namespace bench {

class global_source {
public:
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t) {
        return std::allocator<std::byte>().allocate(bytes);
    }

    static void deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
        std::allocator<std::byte>().deallocate(static_cast<std::byte*>(p), bytes);
    }
};

} // namespace bench

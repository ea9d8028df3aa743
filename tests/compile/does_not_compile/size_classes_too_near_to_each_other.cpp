// EXPECTED: too many of them, or they are too near to each other
#include <mallard/mallard.hpp>

#include <cstddef>

struct classes_of_16 {
    static constexpr std::size_t index(std::size_t bytes, std::size_t) noexcept {
        return bytes == 0 ? 0 : (bytes - 1) / 16;
    }
    static constexpr std::size_t bytes(std::size_t index) noexcept { return 16 * (index + 1); }
    static constexpr std::size_t within(std::size_t bytes) noexcept { return bytes / 16 - 1; }
};

int main() {
#ifdef LEGAL
    using classes = mallard::power_of_two_classes;
#else
    using classes = classes_of_16;
#endif
    mallard::multipool<mallard::chunk_cache, mallard::first_freed, classes> pool;
}

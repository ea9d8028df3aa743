// EXPECTED: these size classes do not fit together
#include <mallard/mallard.hpp>

#include <cstddef>

/// The class of sizes that no block has does not fit into the 15 bits of a table.
struct classes_without_end : mallard::power_of_two_classes {
    static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes > (std::size_t{1} << 40) ? bytes
                                              : mallard::power_of_two_classes::index(bytes, alignment);
    }
};

int main() {
#ifdef LEGAL
    using classes = mallard::power_of_two_classes;
#else
    using classes = classes_without_end;
#endif
    mallard::multipool<mallard::chunk_cache, mallard::first_freed, classes> pool;
}

// EXPECTED: it takes a std::span<std::byte>
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::monotonic<> m{mallard::monotonic_options{.growth = {.first_chunk_bytes = 1 << 20}}};
#else
    mallard::monotonic<> m{1 << 20};
#endif
}

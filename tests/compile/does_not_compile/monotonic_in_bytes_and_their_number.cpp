// EXPECTED: it takes a std::span<std::byte>
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    std::byte memory[100];
    mallard::monotonic m{std::span(memory)};
#else
    std::byte memory[100];
    mallard::monotonic m{memory, sizeof memory};
#endif
}

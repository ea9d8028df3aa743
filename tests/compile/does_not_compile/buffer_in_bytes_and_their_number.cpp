// EXPECTED: it takes memory as one std::span<std::byte>
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    std::byte memory[100];
    mallard::buffer m{memory};
#else
    std::byte memory[100];
    mallard::buffer m{memory, sizeof memory};
#endif
}

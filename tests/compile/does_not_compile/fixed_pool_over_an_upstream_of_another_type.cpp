// EXPECTED: its type names the arena: omit the <>
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
    mallard::monotonic<> arena;
#ifdef LEGAL
    mallard::fixed_pool pool(arena);
#else
    mallard::fixed_pool<> pool(arena);
#endif
}

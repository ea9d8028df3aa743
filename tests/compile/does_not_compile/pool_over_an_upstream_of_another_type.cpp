// EXPECTED: its type names the upstream: omit the <>
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
    mallard::monotonic<> arena;
#ifdef LEGAL
    mallard::multipool pool(arena);
#else
    mallard::multipool<> pool(arena);
#endif
}

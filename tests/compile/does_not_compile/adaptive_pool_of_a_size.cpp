// EXPECTED: it takes a block_size
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::adaptive_pool<> m;
#else
    mallard::adaptive_pool<> m{1 << 20};
#endif
}

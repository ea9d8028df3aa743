// EXPECTED: it takes a block_size
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::fixed_pool<> m(mallard::block_size{24, 8});
#else
    mallard::fixed_pool<> m(24, 8);
#endif
}

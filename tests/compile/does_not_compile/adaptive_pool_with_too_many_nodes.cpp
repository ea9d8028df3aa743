// EXPECTED: a block has 2.16 nodes at the most; make nodes_a_block smaller
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    constexpr mallard::adaptive_pool_options options{.nodes_a_block = 65536};
#else
    constexpr mallard::adaptive_pool_options options{.nodes_a_block = 65537};
#endif
    mallard::adaptive_pool<mallard::chunk_cache, options> pool;
}

// EXPECTED: a block needs a node at least; make nodes_a_block 1 or more
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    constexpr mallard::adaptive_pool_options options{.nodes_a_block = 1};
#else
    constexpr mallard::adaptive_pool_options options{.nodes_a_block = 0};
#endif
    mallard::adaptive_pool<mallard::chunk_cache, options> pool;
}

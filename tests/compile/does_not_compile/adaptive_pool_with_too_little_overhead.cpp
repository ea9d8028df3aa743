// EXPECTED: no block keeps to this overhead_percent
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    constexpr mallard::adaptive_pool_options options{.overhead_percent = 2};
#else
    constexpr mallard::adaptive_pool_options options{.overhead_percent = 1};
#endif
    mallard::adaptive_pool<mallard::chunk_cache, options> pool;
}

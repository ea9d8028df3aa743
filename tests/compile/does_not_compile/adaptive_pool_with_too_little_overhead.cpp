// EXPECTED: no block keeps to this overhead_percent
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    using order = mallard::last_freed;
#else
    using order = mallard::lowest_address;
#endif
    constexpr mallard::adaptive_pool_options options{.overhead_percent = 1};
    mallard::adaptive_pool<mallard::chunk_cache, options, order> pool;
}

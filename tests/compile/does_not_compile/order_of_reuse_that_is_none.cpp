// EXPECTED: reuse_order
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    using order = mallard::lowest_address;
#else
    using order = mallard::lowest_address::of_one_size;
#endif
    mallard::multipool<mallard::chunk_cache, order> pool;
    pool.release();
}

// EXPECTED: reuse_order
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    using order = mallard::last_freed;
#else
    using order = mallard::last_freed::of_one_size;
#endif
    mallard::multipool<mallard::chunk_cache, order> pool;
    pool.release();
}

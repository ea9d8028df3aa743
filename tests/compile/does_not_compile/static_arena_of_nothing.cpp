// EXPECTED: a static_arena of fewer bytes than a pointer has holds no block
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::fixed_pool<mallard::static_arena<8>> pool;
#else
    mallard::fixed_pool<mallard::static_arena<4>> pool;
#endif
    pool.release();
}

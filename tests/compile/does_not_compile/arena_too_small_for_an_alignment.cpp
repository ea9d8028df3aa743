// EXPECTED: make it larger, by as much as the alignment of an over-aligned block
#include <mallard/mallard.hpp>

struct alignas(64) line {
    char bytes[64];
};

int main() {
#ifdef LEGAL
    mallard::fixed_pool_for<line, mallard::static_arena<64 + 48>> pool;
#else
    mallard::fixed_pool_for<line, mallard::static_arena<64>> pool;
#endif
    pool.release();
}

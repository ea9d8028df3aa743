// EXPECTED: no block can have this size and alignment
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    constexpr std::size_t alignment = 8;
#else
    constexpr std::size_t alignment = 24;
#endif
    mallard::fixed_pool<mallard::growing_arena<>, mallard::last_freed, mallard::block_size{24, alignment}>
        pool;
    pool.release();
}

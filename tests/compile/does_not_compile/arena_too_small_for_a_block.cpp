// EXPECTED: the arena is too small for one block of this pool, wherever it lies; make it larger
#include <mallard/mallard.hpp>

struct node {
    node* next;
    int values[10];
};

int main() {
#ifdef LEGAL
    mallard::fixed_pool_for<node, mallard::static_arena<64>> pool;
#else
    mallard::fixed_pool_for<node, mallard::static_arena<32>> pool;
#endif
    pool.release();
}

// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
#include <mallard/mallard.hpp>

using pool = mallard::fixed_pool_for<int, mallard::single_arena<>>;

void fill(pool& p, int blocks);

void make(int blocks) {
#ifdef LEGAL
    pool p(blocks - 1);
#else
    pool p(-1);
#endif
    fill(p, blocks);
}

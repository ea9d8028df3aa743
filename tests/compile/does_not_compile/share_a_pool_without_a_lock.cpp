// EXPECTED: all threads would use this pool at once
#include <mallard/mallard.hpp>

#ifdef LEGAL
using pool = mallard::synchronized<mallard::fixed_pool<>>;
#else
using pool = mallard::fixed_pool<>;
#endif
struct nodes : mallard::shared_by_threads<nodes, pool> {};

int main() {
    nodes::pool().release();
}

// EXPECTED: pool_tag|constraint
#include <mallard/mallard.hpp>

#include <list>

struct nodes
#ifdef LEGAL
    : mallard::per_thread<nodes, mallard::fixed_pool<>>
#endif
{
};

int main() {
    std::list<int, mallard::static_allocator<int, nodes>> numbers(10);
}

// EXPECTED: expandable
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::heap<> pool;
#else
    mallard::multipool<> pool;
#endif
    mallard::expandable_allocator<int, decltype(pool)> allocator(pool);
    allocator.deallocate(allocator.allocate(10), 10);
}

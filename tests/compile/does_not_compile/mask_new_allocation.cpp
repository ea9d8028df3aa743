// EXPECTED: Masked|constraint
#include <mallard/mallard.hpp>

int main() {
    mallard::heap<> heap;
#ifdef LEGAL
    constexpr auto masked = mallard::expansion::in_place;
#else
    constexpr auto masked = mallard::expansion::any;
#endif
    mallard::expandable_allocator<int, mallard::heap<>, masked> allocator(heap);
    allocator.deallocate(allocator.allocate(10), 10);
}

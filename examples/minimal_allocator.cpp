// The smallest allocator that C++11 asks for.
//
// A container asks its allocator for room for a number of objects, gives it back with the same number, and
// rebinds the allocator to types of its own: a list of ints never allocates an int, but nodes. That is all;
// the rest is made up by std::allocator_traits. This one has no state: its pool is a variable of the program,
// so it takes no room in a container, and any list may take over any other's nodes.
//
// mallard::static_allocator is this with the pool as a parameter; write one of your own for what it lacks.
#include <mallard/mallard.hpp>

#include <cstdint>
#include <iostream>
#include <list>

namespace {

mallard::counted<mallard::fixed_pool<>> nodes; // the first request says how large its blocks are

template <class T>
struct minimal_allocator {
    using value_type = T;

    minimal_allocator() = default;
    template <class U>
    minimal_allocator(const minimal_allocator<U>&) noexcept {}

    // `n` is a number of objects; a number whose bytes have no representation must not wrap to a small one.
    T* allocate(std::size_t n) {
        if (n > PTRDIFF_MAX / sizeof(T)) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(nodes.allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(T* p, std::size_t n) noexcept { nodes.deallocate(p, n * sizeof(T), alignof(T)); }
};

// Whatever one has allocated, any other can free. C++20 makes != of it.
template <class T, class U>
bool operator==(const minimal_allocator<T>&, const minimal_allocator<U>&) noexcept {
    return true;
}

using numbers = std::list<int, minimal_allocator<int>>;
static_assert(sizeof(numbers) == sizeof(std::list<int>));

} // namespace

int main() {
    numbers even;
    numbers odd;
    for (int i = 0; i != 1000; ++i) {
        (i % 2 == 0 ? even : odd).push_back(i);
    }
    std::cout << nodes.counts().allocations << " nodes in blocks of the pool\n";

    even.merge(odd); // nodes go over from list to list
    std::cout << "merged: " << even.size() << " numbers from " << even.front() << " to " << even.back()
              << ", " << nodes.counts().allocations << " nodes allocated\n";

    even.clear();
    std::cout << "cleared: " << nodes.counts().bytes_in_use << " bytes in use\n";
}

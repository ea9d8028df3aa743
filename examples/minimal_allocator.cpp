// The smallest allocator that C++11 asks for.
//
// A container asks its allocator for room for a number of objects, gives it back with the same number, and
// rebinds the allocator to types of its own: a list of ints allocates nodes, never an int. std::allocator_traits
// supplies the rest. This allocator has no state, because its pool is a variable of the program: it takes no room in
// a container, and any list may take over another's nodes.
//
// mallard::static_allocator is such an allocator with the pool as a parameter.
#include <mallard/mallard.hpp>

#include <cstdint>
#include <iostream>
#include <list>

namespace {

mallard::counted<mallard::fixed_pool<>> nodes; // the first request fixes the size of its blocks

template <class T>
struct minimal_allocator {
    using value_type = T;

    minimal_allocator() = default;
    template <class U>
    minimal_allocator(const minimal_allocator<U>&) noexcept {}

    // The bytes of `n` objects must not wrap to a small number.
    T* allocate(std::size_t n) {
        if (n > PTRDIFF_MAX / sizeof(T)) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(nodes.allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(T* p, std::size_t n) noexcept { nodes.deallocate(p, n * sizeof(T), alignof(T)); }
};

// Any of these allocators can free the blocks of any other. C++20 derives != from this.
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

    even.merge(odd); // hands nodes from list to list
    std::cout << "merged: " << even.size() << " numbers from " << even.front() << " to " << even.back()
              << ", " << nodes.counts().allocations << " nodes allocated\n";

    even.clear();
    std::cout << "cleared: " << nodes.counts().bytes_in_use << " bytes in use\n";
}

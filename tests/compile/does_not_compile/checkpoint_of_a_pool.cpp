// EXPECTED: rewindable|constraints not satisfied
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::monotonic<> allocator;
#else
    mallard::multipool<> allocator;
#endif
    mallard::checkpoint scratch(allocator);
}

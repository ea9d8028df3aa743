// EXPECTED: a mechanism with state has no default: give the container its allocator
// LINES: 18
// CODE
#include <mallard/mallard.hpp>

#include <list>

int main() {
    mallard::multipool<> pool;
#ifdef LEGAL
    std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers(pool);
#else
    std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers;
#endif
    numbers.push_back(1);
}

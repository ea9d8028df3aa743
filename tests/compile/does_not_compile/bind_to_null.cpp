// EXPECTED: deleted
#include <mallard/mallard.hpp>

int main() {
    mallard::multipool<> pool;
#ifdef LEGAL
    const mallard::allocator<int, mallard::multipool<>> bound(&pool);
#else
    const mallard::allocator<int, mallard::multipool<>> bound(nullptr);
#endif
    static_cast<void>(bound);
}

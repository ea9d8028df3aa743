// EXPECTED: deleted
#include <mallard/mallard.hpp>

int main() {
    mallard::multipool<> pool;
#ifdef LEGAL
    mallard::multipool<>& other = pool;
#else
    mallard::multipool<> other = pool;
#endif
    other.release();
}

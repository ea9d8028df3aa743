// EXPECTED: upstream
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::new_delete source;
#else
    std::allocator<int> source;
#endif
    mallard::multipool<decltype(source)> pool(source);
}

// EXPECTED: c_functions takes the type of an allocator, or a tag that names a pool
#include <mallard/mallard.hpp>

#ifdef LEGAL
using source = mallard::multipool<>;
#else
using source = mallard::multipool<>*;
#endif

int main() {
    void* (*const hook)(void*, unsigned, unsigned) = mallard::c_functions<source>::malloc;
    static_cast<void>(hook);
}

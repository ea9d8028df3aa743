// EXPECTED: sizes in multipool_options
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::concurrent_multipool<> m;
#else
    mallard::concurrent_multipool<> m{1 << 20};
#endif
}

// EXPECTED: sizes in heap_options
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::heap<> m;
#else
    mallard::heap<> m{1 << 20};
#endif
}

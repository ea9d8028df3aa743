// EXPECTED: sizes stand in its options
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::small_object_pool<> m;
#else
    mallard::small_object_pool<> m{1 << 20};
#endif
}

// EXPECTED: narrow
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    constexpr int kib = 1024;
    mallard::monotonic<> m{16 * kib};
#else
    mallard::monotonic<> m{-1};
#endif
}

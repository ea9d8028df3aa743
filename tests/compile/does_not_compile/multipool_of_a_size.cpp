// EXPECTED: sizes in multipool_options
// LINES: 12
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::multipool<> m;
#else
    mallard::multipool<> m{1 << 20};
#endif
}

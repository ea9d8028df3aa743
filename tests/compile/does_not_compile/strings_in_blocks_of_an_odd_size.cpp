// EXPECTED: blocks for strings have
#include <mallard/mallard.hpp>

int main() {
#ifdef LEGAL
    mallard::fixed_string<112> line;
#else
    mallard::fixed_string<100> line;
#endif
    line += 'x';
}

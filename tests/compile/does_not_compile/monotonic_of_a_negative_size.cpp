// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
#include <mallard/mallard.hpp>

void fill(mallard::monotonic<>& m, int bytes);

// Not in main(), where g++ expands few functions.
void make(int bytes) {
#ifdef LEGAL
    mallard::monotonic<> m(bytes - 1);
#else
    mallard::monotonic<> m(-1);
#endif
    fill(m, bytes);
}

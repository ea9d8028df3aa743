// EXPECTED: mallard: a negative number is passed as a size
// LINES: 16
// CODE -O1 -Werror
#include <mallard/mallard.hpp>

void reserve(mallard::multipool<>& pool, [[maybe_unused]] int count) {
#ifdef LEGAL
    pool.reserve(sizeof(int), alignof(int), count - 1);
#else
    pool.reserve(sizeof(int), alignof(int), -1);
#endif
}

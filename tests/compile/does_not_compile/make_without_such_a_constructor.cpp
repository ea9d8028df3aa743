// EXPECTED: T has no constructor that takes these arguments
// LINES: 20
#include <mallard/mallard.hpp>

struct point {
    explicit point(int) {}
};

int main() {
#ifdef LEGAL
    mallard::monotonic<> arena;
    static_cast<void>(mallard::make<point>(arena, 1));
#else
    mallard::monotonic<> arena;
    static_cast<void>(mallard::make<point>(arena, arena));
#endif
}

// EXPECTED: T has no constructor that takes these arguments
// LINES: 20
#include <mallard/mallard.hpp>

struct point {
    explicit point(int) {}
};

int main() {
#ifdef LEGAL
    mallard::monotonic<> arena;
    static_cast<void>(mallard::make_array<int>(arena, 3));
#else
    mallard::monotonic<> arena;
    static_cast<void>(mallard::make_array<point>(arena, 3));
#endif
}

// Objects that are made, destroyed and rewound in an allocator.

#include <mallard/mallard.hpp>

#include <type_traits>

struct shape {
    virtual double area() const = 0;
    virtual ~shape() = default;
};
struct square final : shape {
    double area() const override { return 1.0; }
};
struct point {
    explicit point(int) {}
};

#ifdef checkpoint_of_a_pool
// EXPECTED: rewindable|constraints not satisfied
std::conditional_t<LEGAL, mallard::monotonic<>, mallard::multipool<>> allocator;
mallard::checkpoint scratch(allocator);
#endif

#ifdef destroy_by_an_abstract_base
// EXPECTED: the memory goes back with the bytes of the object's own type
int main() {
    mallard::multipool<> pool;
    std::conditional_t<LEGAL, square, shape>* const made = mallard::make<square>(pool);
    mallard::destroy(pool, made);
}
#endif

#ifdef make_array_without_default_constructor
// EXPECTED: T has no constructor that takes these arguments
// LINES: 20
int main() {
    mallard::monotonic<> arena;
    static_cast<void>(mallard::make_array<std::conditional_t<LEGAL, int, point>>(arena, 3));
}
#endif

#ifdef make_without_such_a_constructor
// EXPECTED: T has no constructor that takes these arguments
// LINES: 20
int main() {
    mallard::monotonic<> arena;
#if LEGAL
    static_cast<void>(mallard::make<point>(arena, 1));
#else
    static_cast<void>(mallard::make<point>(arena, arena));
#endif
}
#endif

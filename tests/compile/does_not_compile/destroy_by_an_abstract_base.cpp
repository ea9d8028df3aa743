// EXPECTED: the memory goes back with the bytes of the object's own type
#include <mallard/mallard.hpp>

struct shape {
    virtual double area() const = 0;
    virtual ~shape() = default;
};
struct square final : shape {
    double area() const override { return 1.0; }
};

int main() {
    mallard::multipool<> pool;
    square* const made = mallard::make<square>(pool);
#ifdef LEGAL
    mallard::destroy(pool, made);
#else
    mallard::destroy(pool, static_cast<shape*>(made));
#endif
}

// EXPECTED: mallard: this container or element stores addresses.*and no virtual functions
#include <mallard/mallard.hpp>

#include <string>
#include <vector>

struct plain {
    int sides = 4;
};
struct shape {
    virtual ~shape() = default;
    int sides = 4;
};
#ifdef LEGAL
using element = plain;
#else
using element = shape;
#endif

int main() {
    alignas(16) static std::byte memory[16384];
    std::vector<element, mallard::region_allocator<element>> all(mallard::region_heap::create_in(memory));
    all.emplace_back();
}

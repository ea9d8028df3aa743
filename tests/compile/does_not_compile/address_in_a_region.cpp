// EXPECTED: mallard: this container or element stores addresses
#include <mallard/mallard.hpp>

#include <string>
#include <vector>

#ifdef LEGAL
using element = mallard::offset_ptr<int>;
#else
using element = int*;
#endif

int main() {
    alignas(16) static std::byte memory[16384];
    std::vector<element, mallard::region_allocator<element>> all(mallard::region_heap::create_in(memory));
    all.emplace_back();
}

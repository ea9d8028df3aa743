// Elements that cannot lie in memory which other processes map elsewhere.

#include <mallard/mallard.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

template <class T>
using region_vector = std::vector<T, mallard::region_allocator<T>>;

struct plain {
    int sides = 4;
};
struct shape {
    virtual ~shape() = default;
    int sides = 4;
};

#ifdef address_in_a_region
// EXPECTED: mallard: this container or element stores addresses
using element = std::conditional_t<LEGAL, mallard::offset_ptr<int>, int*>;
#endif

#ifdef pair_with_a_standard_string_in_a_region
// EXPECTED: mallard: the element allocates elsewhere: name region_allocator as its allocator
using element = std::pair<const int, std::conditional_t<LEGAL, region_vector<char>, std::string>>;
#endif

#ifdef standard_string_in_a_region
// EXPECTED: mallard: the element allocates elsewhere: name region_allocator as its allocator
using element = std::conditional_t<LEGAL, region_vector<char>, std::string>;
#endif

#ifdef virtual_functions_in_a_region
// EXPECTED: mallard: this container or element stores addresses.*and no virtual functions
using element = std::conditional_t<LEGAL, plain, shape>;
#endif

int main() {
    alignas(16) static std::byte memory[16384];
    region_vector<element> all(mallard::region_heap::create_in(memory));
    all.emplace_back();
}

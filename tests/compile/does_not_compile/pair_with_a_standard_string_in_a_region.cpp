// EXPECTED: mallard: the element allocates elsewhere: name region_allocator as its allocator
#include <mallard/mallard.hpp>

#include <string>
#include <utility>
#include <vector>

#ifdef LEGAL
using element = std::pair<const int, std::vector<char, mallard::region_allocator<char>>>;
#else
using element = std::pair<const int, std::string>;
#endif

int main() {
    alignas(16) static std::byte memory[16384];
    std::vector<element, mallard::region_allocator<element>> all(mallard::region_heap::create_in(memory));
    all.emplace_back();
}

// EXPECTED: std::pmr takes the address of a mallard::resource
// LINES: 12
#include <mallard/mallard.hpp>

#include <memory_resource>
#include <vector>

int main() {
#ifdef LEGAL
    mallard::resource<mallard::multipool<>> pool;
    std::pmr::vector<int> numbers{&pool};
#else
    mallard::multipool<> pool;
    std::pmr::vector<int> numbers{pool};
#endif
}

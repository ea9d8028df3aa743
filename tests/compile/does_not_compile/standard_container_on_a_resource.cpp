// EXPECTED: a polymorphic allocator takes its address
// LINES: 12
#include <mallard/mallard.hpp>

#include <memory_resource>
#include <string>
#include <vector>

int main() {
    mallard::resource<mallard::multipool<>> pool;
#ifdef LEGAL
    std::pmr::vector<std::pmr::string> names(&pool);
#else
    std::pmr::vector<std::pmr::string> names(pool);
#endif
}

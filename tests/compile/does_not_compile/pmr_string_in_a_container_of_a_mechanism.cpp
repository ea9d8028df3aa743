// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
#include <mallard/mallard.hpp>

#include <memory_resource>
#include <string>
#include <vector>

#ifdef LEGAL
using memory = mallard::resource<mallard::multipool<>>;
#else
using memory = mallard::multipool<>;
#endif

int main() {
    memory pool;
    std::vector<std::pmr::string, mallard::allocator<std::pmr::string, memory>> names(pool);
    names.emplace_back("mallard");
}

// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
#include <mallard/mallard.hpp>

#include <functional>
#include <map>
#include <memory_resource>
#include <string>

#ifdef LEGAL
using memory = mallard::inline_resource;
#else
using memory = mallard::multipool<>;
#endif
using entry = std::pair<const int, std::pmr::string>;

int main() {
#ifdef LEGAL
    mallard::resource<mallard::multipool<>> pool;
#else
    mallard::multipool<> pool;
#endif
    std::map<int, std::pmr::string, std::less<>, mallard::allocator<entry, memory>> names(pool);
    names.try_emplace(1, "mallard");
}

// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
#include <mallard/mallard.hpp>

#include <memory_resource>
#include <string>

int main() {
#ifdef LEGAL
    mallard::resource<mallard::multipool<>> pool;
#else
    mallard::multipool<> pool;
#endif
    static_cast<void>(mallard::make_unique<std::pmr::string>(pool, "mallard"));
}

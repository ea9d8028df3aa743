// Includes all of the library, and has no named allocator.
#include <mallard/mallard.hpp>

mallard::multipool<>& own_pool();

mallard::multipool<>& own_pool() {
    static mallard::multipool<> pool;
    return pool;
}

// Takes an allocator from a part of the program that was compiled in another mode.
#include <mallard/local/multipool.hpp>

void fill(mallard::multipool<>& pool);

void fill(mallard::multipool<>& pool) {
    static_cast<void>(pool.allocate(24));
}

#include <mallard/mallard.hpp>

void fill(mallard::multipool<>& pool);

void fill(mallard::multipool<>& pool) {
    static_cast<void>(pool.allocate(24));
}

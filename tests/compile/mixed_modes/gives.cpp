// Hands an allocator to a part of the program that was compiled in another mode.
#include <mallard/local/multipool.hpp>

void fill(mallard::multipool<>& pool);

int main() {
    mallard::multipool<> pool;
    fill(pool);
}

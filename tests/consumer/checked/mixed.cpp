#include <mallard/mallard.hpp>

void fill(mallard::multipool<>& pool);

int main() {
    mallard::multipool<> pool;
    fill(pool);
}

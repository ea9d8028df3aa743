// EXPECTED: is made without arguments
#include <mallard/mallard.hpp>

struct one_chunk : mallard::fixed_pool<mallard::single_arena<>> {
#ifdef LEGAL
    one_chunk() noexcept : fixed_pool(1000) {}
#else
    explicit one_chunk(std::size_t blocks) noexcept : fixed_pool(blocks) {}
#endif
};
struct nodes : mallard::per_thread<nodes, one_chunk> {};

int main() {
    nodes::pool().release();
}

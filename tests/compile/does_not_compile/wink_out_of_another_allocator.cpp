// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?vector<int, mallard::(library_v[0-9]+::)?allocator<int, mallard::.*multipool
#include <mallard/mallard.hpp>

template <class A>
using vector = std::vector<int, mallard::allocator<int, A>>;

int main() {
    mallard::monotonic<> arena;
    mallard::multipool<> pool;
#ifdef LEGAL
    mallard::wink_out<vector<mallard::monotonic<>>>(arena);
#else
    mallard::wink_out<vector<mallard::multipool<>>>(arena, pool);
#endif
}

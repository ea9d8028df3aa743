// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?vector<int
#include <mallard/mallard.hpp>

int main() {
    mallard::monotonic<> arena;
#ifdef LEGAL
    mallard::wink_out<std::vector<int, mallard::allocator<int, mallard::monotonic<>>>>(arena);
#else
    mallard::wink_out<std::vector<int>>(arena);
#endif
}

// EXPECTED: it has no release\(\): pass a resource<A>&, or assume_winkable first
// LINES: 24
#include <mallard/mallard.hpp>

int main() {
    mallard::resource<mallard::monotonic<>> arena;
#ifdef LEGAL
    auto& memory = arena;
#else
    mallard::inline_resource& memory = arena;
#endif
    mallard::wink_out<std::vector<int, mallard::inline_allocator<int>>>(memory);
}

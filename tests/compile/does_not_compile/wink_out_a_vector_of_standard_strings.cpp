// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
#include <mallard/mallard.hpp>

template <class T>
using vector = std::vector<T, mallard::allocator<T, mallard::monotonic<>>>;

int main() {
    mallard::monotonic<> arena;
#ifdef LEGAL
    using string =
        std::basic_string<char, std::char_traits<char>, mallard::allocator<char, mallard::monotonic<>>>;
#else
    using string = std::string;
#endif
    mallard::wink_out<vector<string>>(arena);
}

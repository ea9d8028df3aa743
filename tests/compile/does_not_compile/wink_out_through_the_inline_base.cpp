// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
#include <mallard/mallard.hpp>

int main() {
    mallard::resource<mallard::multipool<>> pool;
    using text = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;
#ifdef LEGAL
    mallard::wink_out<std::vector<text, mallard::inline_allocator<text>>>(pool);
#else
    mallard::wink_out<std::vector<std::string, mallard::inline_allocator<std::string>>>(pool);
#endif
}

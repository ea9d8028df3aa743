// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
#include <mallard/mallard.hpp>

int main() {
    mallard::resource<mallard::multipool<>> pool;
#ifdef LEGAL
    mallard::wink_out<std::pmr::vector<std::pmr::string>>(pool);
#else
    mallard::wink_out<std::pmr::vector<std::string>>(pool);
#endif
}

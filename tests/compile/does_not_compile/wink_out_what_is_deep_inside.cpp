// EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?unique_ptr<int
#include <mallard/mallard.hpp>

#include <memory>

template <class T>
using vector = std::vector<T, mallard::allocator<T, mallard::multipool<>>>;

int main() {
    mallard::multipool<> pool;
#ifdef LEGAL
    using leaf = int*;
#else
    using leaf = std::unique_ptr<int>;
#endif
    mallard::wink_out<vector<std::pair<int, vector<std::tuple<char, leaf>>>>>(pool);
}

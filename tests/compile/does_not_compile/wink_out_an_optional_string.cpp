// EXPECTED: wink_out_would_leak<[a-z0-9_:]*out_of_reach<std::.*string.*optional<
#include <mallard/mallard.hpp>

#include <optional>

int main() {
    mallard::resource<mallard::multipool<>> pool;
#ifdef LEGAL
    mallard::wink_out<std::pmr::vector<std::pmr::string>>(pool);
#else
    mallard::wink_out<std::pmr::vector<std::optional<std::pmr::string>>>(pool);
#endif
}

// EXPECTED: mallard: the object allocates through a base .*use a mallard::resource
#include <mallard/mallard.hpp>

#include <list>
#include <string>

struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
#ifdef LEGAL
using string = std::basic_string<char, std::char_traits<char>, mallard::static_allocator<char, nodes>>;
#else
using string = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;
#endif

int main() {
    std::list<string, mallard::static_allocator<string, nodes>> names;
    names.emplace_back("mallard");
}

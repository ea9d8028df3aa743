// Types that would leak if their destructors did not run, and allocators that release nothing.

#include <mallard/mallard.hpp>

#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

template <class T, class A>
using vector = std::vector<T, mallard::allocator<T, A>>;
template <class Allocator>
using string = std::basic_string<char, std::char_traits<char>, Allocator>;

struct file_handle {
    ~file_handle() {}
    int descriptor = 0;
};

int main() {
    mallard::monotonic<> arena;
    mallard::multipool<> pool;
    mallard::resource<mallard::monotonic<>> arena_resource;
    mallard::resource<mallard::multipool<>> resource;
    mallard::new_delete global;

#ifdef wink_out_a_standard_vector
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?vector<int
    mallard::wink_out<std::conditional_t<LEGAL, vector<int, mallard::monotonic<>>, std::vector<int>>>(arena);
#endif

#ifdef wink_out_a_type_with_a_destructor
    // EXPECTED: wink_out_would_leak<file_handle>
#if LEGAL
    mallard::wink_out<file_handle>(mallard::assume_winkable, arena);
#else
    mallard::wink_out<file_handle>(arena);
#endif
#endif

#ifdef wink_out_a_vector_of_standard_strings
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
    using local = string<mallard::allocator<char, mallard::monotonic<>>>;
    mallard::wink_out<vector<std::conditional_t<LEGAL, local, std::string>, mallard::monotonic<>>>(arena);
#endif

#ifdef wink_out_an_optional_string
    // EXPECTED: wink_out_would_leak<[a-z0-9_:]*out_of_reach<std::.*string.*optional<
    using element = std::conditional_t<LEGAL, std::pmr::string, std::optional<std::pmr::string>>;
    mallard::wink_out<std::pmr::vector<element>>(resource);
#endif

#ifdef wink_out_in_a_base
    // EXPECTED: it has no release\(\): pass a resource<A>&, or assume_winkable first
    // LINES: 24
    std::conditional_t<LEGAL, decltype(arena_resource), mallard::inline_resource>& memory = arena_resource;
    mallard::wink_out<std::vector<int, mallard::inline_allocator<int>>>(memory);
#endif

#ifdef wink_out_of_another_allocator
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?vector<int, mallard::(library_v[0-9]+::)?allocator<int, mallard::.*multipool
#if LEGAL
    mallard::wink_out<vector<int, mallard::monotonic<>>>(arena);
#else
    mallard::wink_out<vector<int, mallard::multipool<>>>(arena, pool);
#endif
#endif

#ifdef wink_out_through_the_abstract_base
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
    mallard::wink_out<std::pmr::vector<std::conditional_t<LEGAL, std::pmr::string, std::string>>>(resource);
#endif

#ifdef wink_out_through_the_inline_base
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?(basic_string<char|string>)
    using text = std::conditional_t<LEGAL, string<mallard::inline_allocator<char>>, std::string>;
    mallard::wink_out<std::vector<text, mallard::inline_allocator<text>>>(resource);
#endif

#ifdef wink_out_what_is_deep_inside
    // EXPECTED: wink_out_would_leak<std::(__[a-z0-9]+::)?unique_ptr<int
    using leaf = std::tuple<char, std::conditional_t<LEGAL, int*, std::unique_ptr<int>>>;
    using element = std::pair<int, vector<leaf, mallard::multipool<>>>;
    mallard::wink_out<vector<element, mallard::multipool<>>>(pool);
#endif

#ifdef wink_out_where_nobody_releases
    // EXPECTED: no matching function for call to .*wink_out
#if LEGAL
    mallard::wink_out<int>(arena, 1);
#else
    mallard::wink_out<int>(global, 1);
#endif
#endif
}

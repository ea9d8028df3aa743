// Sets and maps, hashed, on local allocators by both bindings, compared with std::allocator.
#include "containers/apply_to_keyed.hpp"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace {

using namespace containers;

template <class B>
using string = std::basic_string<char, std::char_traits<char>, typename B::template allocator<char>>;
template <class B>
using entries = typename B::template allocator<std::pair<const string<B>, string<B>>>;
template <class B>
using keys = typename B::template allocator<string<B>>;

template <class B>
using set = std::unordered_set<string<B>, hash_of_text, std::equal_to<>, keys<B>>;
template <class B>
using multiset = std::unordered_multiset<string<B>, hash_of_text, std::equal_to<>, keys<B>>;
template <class B>
using map = std::unordered_map<string<B>, string<B>, hash_of_text, std::equal_to<>, entries<B>>;
template <class B>
using multimap = std::unordered_multimap<string<B>, string<B>, hash_of_text, std::equal_to<>, entries<B>>;

constexpr auto on_keys = [](const step& s, auto& all) { apply_to_keyed(s, all); };

TEST(hashed_containers, sets) {
    walk_everywhere<set>(on_keys);
}
TEST(hashed_containers, multisets) {
    walk_everywhere<multiset>(on_keys);
}
TEST(hashed_containers, maps) {
    walk_everywhere<map>(on_keys);
}
TEST(hashed_containers, multimaps) {
    walk_everywhere<multimap>(on_keys);
}

} // namespace

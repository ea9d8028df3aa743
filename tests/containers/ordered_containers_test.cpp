// Sets and maps, ordered, on local allocators by both bindings, compared with std::allocator.
#include "containers/apply_to_keyed.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
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
using set = std::set<string<B>, std::less<>, keys<B>>;
template <class B>
using multiset = std::multiset<string<B>, std::less<>, keys<B>>;
template <class B>
using map = std::map<string<B>, string<B>, std::less<>, entries<B>>;
template <class B>
using multimap = std::multimap<string<B>, string<B>, std::less<>, entries<B>>;

constexpr auto on_keys = [](const step& s, auto& all) { apply_to_keyed(s, all); };

TEST(ordered_containers, sets) {
    walk_everywhere<set>(on_keys);
}
TEST(ordered_containers, multisets) {
    walk_everywhere<multiset>(on_keys);
}
TEST(ordered_containers, maps) {
    walk_everywhere<map, true>(on_keys);
}
TEST(ordered_containers, multimaps) {
    walk_everywhere<multimap>(on_keys);
}

} // namespace

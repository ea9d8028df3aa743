// Sequences on local allocators by both bindings, compared with std::allocator.
#include "containers/apply_to_sequence.hpp"

#include <deque>
#include <forward_list>
#include <list>
#include <string>
#include <vector>

namespace {

using namespace containers;

template <class B>
using string = std::basic_string<char, std::char_traits<char>, typename B::template allocator<char>>;
template <class B, class T>
using alloc = typename B::template allocator<T>;

template <class B>
using vector = std::vector<string<B>, alloc<B, string<B>>>;
template <class B>
using deque = std::deque<string<B>, alloc<B, string<B>>>;
template <class B>
using list = std::list<string<B>, alloc<B, string<B>>>;
template <class B>
using forward_list = std::forward_list<string<B>, alloc<B, string<B>>>;

constexpr auto on_sequences = [](const step& s, auto& all) { apply_to_sequence(s, all); };

TEST(sequences, vectors) {
    walk_everywhere<vector, true>(on_sequences);
}
TEST(sequences, deques) {
    walk_everywhere<deque>(on_sequences);
}
TEST(sequences, lists) {
    walk_everywhere<list>(on_sequences);
}
TEST(sequences, strings) {
    walk_everywhere<string>(on_sequences);
}
TEST(sequences, forward_lists) {
    walk_everywhere<forward_list>([](const step& s, auto& all) { apply_to_forward_list(s, all); });
}

} // namespace

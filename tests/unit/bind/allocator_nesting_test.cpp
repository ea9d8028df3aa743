// Uses-allocator construction: an object nested in a container lives in the container's memory.
#include <mallard/adapt/counted.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

using pool = mallard::counted<mallard::multipool<>>;
template <class T>
using alloc = mallard::allocator<T, pool>;
template <class T>
using vector = std::vector<T, alloc<T>>;
using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

constexpr std::string_view text = "longer than any string that fits into its own object";

struct hash {
    std::size_t operator()(const string& s) const { return std::hash<std::string_view>()(s); }
};

class nesting : public ::testing::Test {
protected:
    /// A container has given back all memory of its elements in the end.
    ~nesting() override { EXPECT_EQ(pool_.counts().bytes_in_use, 0U); }

    void expect_inside(const string& s) const {
        EXPECT_EQ(&s.get_allocator().mechanism(), &pool_);
        EXPECT_EQ(s, text);
    }

    pool pool_;
};

TEST_F(nesting, reaches_the_elements_of_sequences) {
    vector<string> v(pool_);
    std::deque<string, alloc<string>> d(pool_);
    std::list<string, alloc<string>> l(pool_);
    std::forward_list<string, alloc<string>> f(pool_);
    expect_inside(v.emplace_back(text));
    expect_inside(d.emplace_front(text));
    expect_inside(l.emplace_back(text));
    expect_inside(f.emplace_front(text));
    v.push_back(v[0]);
    v.resize(10);
    v.insert(v.begin(), string(text, pool_));
    expect_inside(v[0]);
    expect_inside(v[2]);
    EXPECT_EQ(&v[9].get_allocator().mechanism(), &pool_);
}

TEST_F(nesting, reaches_keys) {
    std::set<string, std::less<>, alloc<string>> s(pool_);
    std::multiset<string, std::less<>, alloc<string>> m(pool_);
    std::unordered_set<string, hash, std::equal_to<>, alloc<string>> u(pool_);
    std::unordered_multiset<string, hash, std::equal_to<>, alloc<string>> w(pool_);
    expect_inside(*s.emplace(text).first);
    expect_inside(*m.emplace(text));
    expect_inside(*u.emplace(text).first);
    expect_inside(*w.emplace(text));
}

TEST_F(nesting, reaches_both_halves_of_maps) {
    std::map<string, vector<string>, std::less<>, alloc<std::pair<const string, vector<string>>>> m(pool_);
    m[string(text, pool_)].emplace_back(text);
    m.try_emplace(string("other", pool_)).first->second.emplace_back(text);
    m.emplace("third", vector<string>(pool_));
    m.emplace(std::piecewise_construct, std::forward_as_tuple("fourth"),
              std::forward_as_tuple(2, string(pool_)));
    for (const auto& [key, value] : m) {
        EXPECT_EQ(&key.get_allocator().mechanism(), &pool_);
        EXPECT_EQ(&value.get_allocator().mechanism(), &pool_);
    }
    expect_inside(m.find(text)->first);
    expect_inside(m.find(text)->second[0]);

    std::unordered_map<string, string, hash, std::equal_to<>, alloc<std::pair<const string, string>>> u(
        pool_);
    u.emplace(text, text);
    expect_inside(u.begin()->first);
    expect_inside(u.begin()->second);
    std::multimap<int, string, std::less<>, alloc<std::pair<const int, string>>> n(pool_);
    expect_inside(n.emplace(1, text)->second);
}

TEST_F(nesting, reaches_into_pairs_and_tuples) {
    vector<std::pair<int, string>> p(pool_);
    expect_inside(p.emplace_back(1, text).second);
#ifndef _LIBCPP_VERSION
    // libc++ (19 and before) looks for the inner pair's arguments before it has declared the function that makes them.
    vector<std::pair<string, std::pair<string, int>>> deep(pool_);
    deep.emplace_back(text, std::pair<std::string_view, int>(text, 2));
    expect_inside(deep[0].first);
    expect_inside(deep[0].second.first);
#endif
    vector<std::tuple<int, string>> t(pool_);
    t.emplace_back(1, string(text, pool_));
    expect_inside(std::get<1>(t[0]));
}

TEST_F(nesting, reaches_to_any_depth) {
    vector<vector<vector<string>>> v(pool_);
    expect_inside(v.emplace_back().emplace_back().emplace_back(text));
}

TEST_F(nesting, leaves_types_alone_that_take_no_allocator) {
    vector<std::pair<int, double>> v(pool_);
    v.emplace_back(1, 2.0);
    vector<std::string> strings(pool_);
    EXPECT_EQ(strings.emplace_back(text), text);
    EXPECT_FALSE((mallard::bind::takes_allocator<std::pair<int, double>, alloc<int>>));
    EXPECT_FALSE((mallard::bind::takes_allocator<std::string, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<const string, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<std::pair<const string, int>, alloc<int>>));
    EXPECT_TRUE((mallard::bind::takes_allocator<std::pair<int, std::pair<int, string>>, alloc<int>>));
}

} // namespace

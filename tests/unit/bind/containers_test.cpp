#include <mallard/bind/containers.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/lifetime/winkable.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <type_traits>

namespace {

using arena_type = mallard::monotonic<>;
constexpr const char* text = "longer than any string that fits into its own object";

struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};

static_assert(
    std::is_same_v<mallard::vector<int, arena_type>, std::vector<int, mallard::allocator<int, arena_type>>>);
static_assert(std::is_same_v<mallard::list<int>, std::list<int, mallard::inline_allocator<int>>>);
static_assert(std::is_same_v<mallard::forward_list<int, nodes>,
                             std::forward_list<int, mallard::static_allocator<int, nodes>>>);
static_assert(std::is_same_v<mallard::set<int, arena_type, std::greater<>>::key_compare, std::greater<>>);

/// Each container takes the argument, and winks out.
template <class A>
void expect_containers(A& memory) {
    mallard::vector<mallard::string<A>, A> strings{memory};
    strings.emplace_back(text);
    EXPECT_TRUE(memory.owns(strings.data()));
    EXPECT_TRUE(memory.owns(strings[0].data()));
    mallard::deque<int, A> deque{memory};
    deque.push_back(1);
    EXPECT_TRUE(memory.owns(&deque.front()));
    mallard::forward_list<int, A> forward_list{memory};
    forward_list.push_front(1);
    EXPECT_TRUE(memory.owns(&forward_list.front()));
    mallard::list<int, A> list{memory};
    list.push_back(1);
    EXPECT_TRUE(memory.owns(&list.front()));
    mallard::set<int, A> set{memory};
    set.insert(1);
    mallard::multiset<int, A> multiset{memory};
    multiset.insert({1, 1});
    EXPECT_TRUE(memory.owns(&*set.begin()));
    EXPECT_EQ(multiset.size(), 2U);
    mallard::map<int, mallard::string<A>, A> map{memory};
    map.emplace(1, text);
    EXPECT_TRUE(memory.owns(map.at(1).data()));
    mallard::multimap<int, int, A> multimap{memory};
    multimap.insert({{1, 2}, {1, 3}});
    EXPECT_EQ(multimap.count(1), 2U);
    mallard::unordered_set<int, A> unordered_set{memory};
    mallard::unordered_multiset<int, A> unordered_multiset{memory};
    mallard::unordered_map<int, mallard::string<A>, A> unordered_map{memory};
    mallard::unordered_multimap<int, int, A> unordered_multimap{memory};
    unordered_set.insert(1);
    unordered_multiset.insert({1, 1});
    unordered_map.emplace(1, text);
    unordered_multimap.insert({{1, 1}, {1, 2}});
    EXPECT_TRUE(memory.owns(&*unordered_set.begin()));
    EXPECT_TRUE(memory.owns(unordered_map.at(1).data()));
    EXPECT_EQ(unordered_multiset.size() + unordered_multimap.size(), 4U);
}

TEST(containers, lie_in_a_mechanism) {
    arena_type arena;
    expect_containers(arena);
    mallard::multipool<> pool;
    expect_containers(pool);
    static_assert(mallard::winkable<
                  mallard::map<int, mallard::vector<mallard::string<arena_type>, arena_type>, arena_type>>);
}

TEST(containers, lie_behind_the_inline_base) {
    mallard::resource<mallard::multipool<>> pool;
    mallard::unordered_map<int, mallard::string<>> names{&pool};
    names.emplace(1, text);
    EXPECT_TRUE(pool.owns(names.at(1).data()));
}

TEST(containers, lie_in_the_pool_of_a_tag) {
    mallard::map<int, mallard::string<nodes>, nodes> names;
    names.emplace(1, text);
    EXPECT_TRUE(nodes::pool().owns(names.at(1).data()));
    EXPECT_EQ(sizeof(names), (sizeof(std::map<int, int>)));
}

} // namespace

#include "equipment/out_of_memory.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct nodes : mallard::per_thread<nodes, mallard::fixed_pool<>> {};
struct second_nodes : mallard::per_thread<second_nodes, mallard::fixed_pool<>> {};
struct any_size : mallard::per_thread<any_size, mallard::counted<mallard::multipool<>>> {};

template <class T, class Tag = any_size>
using alloc = mallard::static_allocator<T, Tag>;
template <class T>
using stateful = mallard::allocator<T, mallard::multipool<>>;
template <class T, class Tag = any_size>
using list = std::list<T, alloc<T, Tag>>;
template <class T>
using vector = std::vector<T, alloc<T>>;
using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

/// The block that common standard libraries allocate for an element of a list of int.
struct list_node {
    void* next;
    void* previous;
    int element;
};

constexpr const char* text = "longer than any string that fits into its own object";

TEST(static_allocator, takes_no_room) {
    EXPECT_TRUE(std::is_empty_v<alloc<int>>);
    EXPECT_TRUE(std::is_trivially_copyable_v<alloc<int>>);
}

template <class Small, class Large>
void expect_one_word_smaller() {
    EXPECT_EQ(sizeof(Small) + sizeof(void*), sizeof(Large));
}

TEST(static_allocator, makes_containers_one_word_smaller) {
    using entry = std::pair<const int, int>;
    expect_one_word_smaller<list<int>, std::list<int, stateful<int>>>();
    expect_one_word_smaller<std::forward_list<int, alloc<int>>, std::forward_list<int, stateful<int>>>();
    expect_one_word_smaller<vector<int>, std::vector<int, stateful<int>>>();
    expect_one_word_smaller<std::map<int, int, std::less<>, alloc<entry>>,
                            std::map<int, int, std::less<>, stateful<entry>>>();
    expect_one_word_smaller<string, std::basic_string<char, std::char_traits<char>, stateful<char>>>();
    EXPECT_EQ(sizeof(list<int>), sizeof(std::list<int>)) << "as with std::allocator";
}

TEST(static_allocator, is_always_equal) {
    using traits = std::allocator_traits<alloc<int>>;
    EXPECT_TRUE(traits::is_always_equal::value);
    EXPECT_TRUE(alloc<int>() == alloc<double>()) << "whatever the type";
    EXPECT_FALSE(alloc<int>() != alloc<int>());
    EXPECT_TRUE((std::is_same_v<traits::rebind_alloc<double>, alloc<double>>));
    EXPECT_TRUE((std::is_convertible_v<alloc<int>, alloc<double>>));
    EXPECT_FALSE((std::is_convertible_v<alloc<int, nodes>, alloc<int, second_nodes>>)) << "another pool";
}

TEST(static_allocator, max_size_bounds_representable_objects) {
    alloc<int> a;
    EXPECT_EQ(std::allocator_traits<alloc<int>>::max_size(a), PTRDIFF_MAX / sizeof(int));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(a.allocate(SIZE_MAX / 4 + 2))) << "whose bytes would wrap to 4";
}

TEST(static_allocator, finds_pool_by_tag) {
    const std::size_t old_value = any_size::pool().counts().bytes_in_use;
    {
        const list<int> numbers{1, 2, 3};
        EXPECT_EQ(&numbers.get_allocator().mechanism(), &any_size::pool());
        EXPECT_EQ(any_size::pool().counts().bytes_in_use - old_value, 3 * sizeof(list_node));
    }
    EXPECT_EQ(any_size::pool().counts().bytes_in_use, old_value);
}

TEST(static_allocator, splices_any_two_lists) {
    list<int, nodes> one{1, 2};
    list<int, nodes> two{3, 4};
    const int* const three = &two.front();
    one.splice(one.begin(), two, two.begin());
    EXPECT_EQ(&one.front(), three) << "the node itself";
    one.merge(two);
    EXPECT_EQ(one.size(), 4U);
    EXPECT_TRUE(two.empty());
}

TEST(static_allocator, moves_and_swaps_without_touching_an_element) {
    list<int, nodes> one{1};
    list<int, nodes> two{2, 2};
    const int* const element = &one.front();
    one.swap(two);
    EXPECT_EQ(&two.front(), element);
    one = std::move(two);
    EXPECT_EQ(&one.front(), element);
    EXPECT_TRUE((std::is_nothrow_move_assignable_v<vector<int>>));
    vector<std::unique_ptr<int>> cannot_be_copied;
    cannot_be_copied.push_back(std::make_unique<int>(1));
    vector<std::unique_ptr<int>> taken_over;
    taken_over = std::move(cannot_be_copied);
    EXPECT_EQ(taken_over.size(), 1U);
}

TEST(static_allocator, reaches_nested_containers) {
    const std::size_t old_value = any_size::pool().counts().allocations;
    vector<string> lines;
    lines.reserve(2);
    lines.emplace_back(text);
    EXPECT_EQ(any_size::pool().counts().allocations - old_value, 2U);
    EXPECT_EQ(lines[0], text);
}

struct one_size : mallard::per_thread<one_size, mallard::fixed_pool<>> {};

TEST(static_allocator, refuses_objects_larger_than_block) {
    list<int, one_size> numbers{1};
    alloc<int, one_size> a;
    EXPECT_OUT_OF_MEMORY(static_cast<void>(a.allocate(100)));
    numbers.push_back(2);
    EXPECT_EQ(numbers.size(), 2U) << "which the pool survives";
}

TEST(static_allocator, mechanism_stands_for_pool_of_thread) {
    using pool_type = mallard::counted<mallard::multipool<>>;
    list<int, pool_type> numbers{1, 2, 3};
    pool_type& pool = numbers.get_allocator().mechanism();
    EXPECT_TRUE((std::is_empty_v<alloc<int, pool_type>>));
    EXPECT_EQ(pool.counts().bytes_in_use, 3 * sizeof(list_node));
    std::set<int, std::less<>, alloc<int, pool_type>> others{1};
    EXPECT_EQ(&others.get_allocator().mechanism(), &pool) << "one pool for all containers of this name";
    std::thread([&pool] { EXPECT_NE((&alloc<int, pool_type>::mechanism()), &pool); }).join();
    static_assert(!mallard::bind::names_its_pool<mallard::fixed_pool<>> &&
                  !mallard::bind::names_its_pool<any_size>);
}

TEST(static_allocator, thread_safe_mechanism_is_shared) {
    list<int, mallard::concurrent_multipool<>> numbers(100, 1);
    std::thread([&numbers] {
        EXPECT_EQ((&alloc<int, mallard::concurrent_multipool<>>::mechanism()),
                  &numbers.get_allocator().mechanism());
        numbers.clear();
    }).join();
    numbers.push_back(2);
    EXPECT_EQ(numbers.front(), 2);
}

struct everywhere : mallard::shared_by_threads<everywhere, mallard::synchronized<mallard::fixed_pool<>>> {};

TEST(static_allocator, shared_pool_containers_cross_threads) {
    list<int, everywhere> numbers(100, 1);
    std::thread([&numbers] { numbers.clear(); }).join();
    numbers.push_back(2);
    EXPECT_EQ(numbers.front(), 2);
}

} // namespace

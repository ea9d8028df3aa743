// The containers of C++23 on local allocators, for standard libraries that have them.
#include <mallard/adapt/counted.hpp>
#include <mallard/bind/allocator.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <flat_map>
#include <flat_set>
#include <functional>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using pool_type = mallard::counted<mallard::multipool<>>;

constexpr const char* text = "longer than any string that fits into its own object";

template <class Allocator>
struct containers {
    template <class T>
    using rebound = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
    using string = std::basic_string<char, std::char_traits<char>, rebound<char>>;
    using map = std::flat_map<int, string, std::less<>, std::vector<int, rebound<int>>,
                              std::vector<string, rebound<string>>>;
    using set = std::flat_set<string, std::less<>, std::vector<string, rebound<string>>>;
};

template <class Allocator>
void expect_all_memory_from(const pool_type& pool, const Allocator& allocator) {
    {
        typename containers<Allocator>::map map(allocator);
        for (int key = 100; key != 0; --key) {
            map.try_emplace(key, text);
        }
        map.erase(50);
        typename containers<Allocator>::set set(allocator);
        set.emplace(text, allocator); // a set hands its allocator only to the vector
        EXPECT_EQ(map.at(51), *set.begin());
        EXPECT_EQ(map.at(1).get_allocator(), allocator) << "elements get the container's allocator";
        const auto copy(map);
        EXPECT_EQ(copy, map);
        EXPECT_GT(pool.counts().allocations, 100U) << "a copy by abstract base takes the default resource";
    }
    EXPECT_EQ(pool.counts().bytes_in_use, 0U);
}

TEST(newer_containers, take_memory_by_type_parameter) {
    pool_type pool;
    expect_all_memory_from(pool, mallard::allocator<std::byte, pool_type>(pool));
}

TEST(newer_containers, take_memory_by_inline_base) {
    mallard::resource<pool_type> pool;
    expect_all_memory_from(pool.mechanism(), mallard::inline_allocator<>(&pool));
}

TEST(newer_containers, take_memory_by_abstract_base) {
    mallard::resource<pool_type> pool;
    expect_all_memory_from(pool.mechanism(), std::pmr::polymorphic_allocator<>(&pool));
}

} // namespace

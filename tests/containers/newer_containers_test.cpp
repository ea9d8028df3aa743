// The containers of C++23 and C++26 on local allocators, for standard libraries that have them.
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
#include <version>

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
            map.try_emplace(key, typename containers<Allocator>::string(text, allocator));
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

#ifdef __cpp_lib_indirect

TEST(newer_containers, hold_an_object_outside_themselves) {
    pool_type pool;
    const mallard::allocator<int, pool_type> allocator(pool);
    {
        const std::indirect<int, mallard::allocator<int, pool_type>> first(std::allocator_arg, allocator, 7);
        const auto second = first; // NOLINT(performance-unnecessary-copy-initialization): copies the object
        EXPECT_EQ(*second, 7);
        EXPECT_EQ(pool.counts().allocations, 2U);
    }
    EXPECT_EQ(pool.counts().bytes_in_use, 0U);
}

TEST(newer_containers, hold_an_object_of_a_derived_class) {
    struct base {
        virtual ~base() = default;
        [[nodiscard]] virtual int value() const { return 1; }
    };
    struct derived : base {
        [[nodiscard]] int value() const override { return 2; }
    };
    pool_type pool;
    const mallard::allocator<base, pool_type> allocator(pool);
    {
        using holder = std::polymorphic<base, mallard::allocator<base, pool_type>>;
        const holder first(std::allocator_arg, allocator, std::in_place_type<derived>);
        const auto second = first; // NOLINT(performance-unnecessary-copy-initialization): copies the object
        EXPECT_EQ(second->value(), 2);
        EXPECT_EQ(pool.counts().allocations, 2U);
    }
    EXPECT_EQ(pool.counts().bytes_in_use, 0U);
}

#endif

} // namespace

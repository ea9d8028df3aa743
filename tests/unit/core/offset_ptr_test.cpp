#include <mallard/core/offset_ptr.hpp>

#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace {

using mallard::offset_ptr;

static_assert(std::contiguous_iterator<offset_ptr<int>> && std::contiguous_iterator<offset_ptr<const int>>);
static_assert(sizeof(offset_ptr<int>) == sizeof(int*) && std::is_standard_layout_v<offset_ptr<int>>);
static_assert(!std::is_trivially_copyable_v<offset_ptr<int>>); // a copy has another distance
static_assert(std::is_same_v<std::pointer_traits<offset_ptr<int>>::rebind<char>, offset_ptr<char>>);
static_assert(std::is_convertible_v<offset_ptr<int>, offset_ptr<const int>> &&
              !std::is_convertible_v<offset_ptr<const int>, offset_ptr<int>>);
static_assert(std::is_convertible_v<offset_ptr<int>, offset_ptr<void>> &&
              !std::is_convertible_v<offset_ptr<void>, offset_ptr<int>> &&
              std::is_constructible_v<offset_ptr<int>, offset_ptr<void>>);
static_assert(!std::is_constructible_v<offset_ptr<int>, offset_ptr<float>> &&
              !std::is_constructible_v<offset_ptr<int>, offset_ptr<const void>>);

struct base {
    int number = 1;
};
struct other_base {
    int number = 2;
};
struct derived : base, other_base {};

TEST(offset_ptr, is_null_by_default) {
    const offset_ptr<int> p;
    EXPECT_EQ(p, nullptr);
    EXPECT_FALSE(p);
    EXPECT_EQ(p.get(), nullptr);
    const offset_ptr<int> copy(p);
    EXPECT_EQ(copy.get(), nullptr);
    const offset_ptr<const void> converted(p);
    EXPECT_EQ(converted, nullptr);
    EXPECT_EQ(offset_ptr<int>(static_cast<int*>(nullptr)), nullptr);
}

TEST(offset_ptr, can_point_to_itself) {
    offset_ptr<void> p;
    p = static_cast<void*>(&p);
    EXPECT_TRUE(p);
    EXPECT_EQ(p.get(), &p);
    p = nullptr;
    EXPECT_EQ(p.get(), nullptr);
}

TEST(offset_ptr, works_where_its_bytes_and_its_object_are_moved_together) {
    struct record {
        std::array<int, 4> numbers{1, 2, 3, 4};
        offset_ptr<int> before{&numbers[2]};
        offset_ptr<int> behind;
        offset_ptr<int> none;
        int last = 5;
    };
    alignas(record) std::array<std::byte, sizeof(record)> first_place{};
    alignas(record) std::array<std::byte, sizeof(record)> second_place{};
    auto* const first = ::new (first_place.data()) record;
    first->behind = &first->last;
    std::memcpy(second_place.data(), first_place.data(), sizeof(record));
    std::memset(first_place.data(), 0x41, sizeof(record));
    auto* const second = std::launder(reinterpret_cast<record*>(second_place.data()));
    EXPECT_EQ(second->before.get(), &second->numbers[2]);
    EXPECT_EQ(*second->before, 3);
    EXPECT_EQ(second->behind.get(), &second->last);
    EXPECT_EQ(second->none, nullptr);
}

TEST(offset_ptr, copies_point_to_same_object) {
    int number = 7;
    offset_ptr<int> p(&number);
    const offset_ptr<int> copy(p);
    offset_ptr<int> assigned;
    assigned = copy;
    offset_ptr<int>& self = p;
    p = self;
    EXPECT_EQ(*copy + *assigned + *p, 21);
    offset_ptr<int> null;
    std::swap(p, null);
    EXPECT_EQ(p, nullptr);
    EXPECT_EQ(null.get(), &number);
}

TEST(offset_ptr, moves_over_an_array) {
    std::array<int, 5> all{10, 11, 12, 13, 14};
    offset_ptr<int> p = offset_ptr<int>::pointer_to(all.front());
    EXPECT_EQ(*++p, 11);
    EXPECT_EQ(*p++, 11);
    EXPECT_EQ(*p, 12);
    EXPECT_EQ(*--p, 11);
    EXPECT_EQ(*p--, 11);
    EXPECT_EQ(p[4], 14);
    EXPECT_EQ(*(p + 3), 13);
    EXPECT_EQ(*(2 + p), 12);
    p += 4;
    EXPECT_EQ(*(p - 1), 13);
    EXPECT_EQ(p - offset_ptr<int>(&all[1]), 3);
    p -= 2;
    EXPECT_EQ(p.get(), &all[2]);
    EXPECT_EQ(std::to_address(p), &all[2]);
}

TEST(offset_ptr, compares_addresses) {
    std::array<int, 2> all{};
    const offset_ptr<int> first(&all[0]);
    const offset_ptr<const int> second(&all[1]);
    EXPECT_LT(first, second);
    EXPECT_GT(second, first);
    EXPECT_NE(first, second);
    EXPECT_EQ(first <=> offset_ptr<const int>(&all[0]), std::strong_ordering::equal);
    EXPECT_LT(offset_ptr<int>(), first);
}

TEST(offset_ptr, casts_adjust_the_address) {
    derived d;
    const offset_ptr<derived> p(&d);
    const offset_ptr<other_base> second_base = p;
    EXPECT_EQ(second_base->number, 2);
    EXPECT_NE(static_cast<void*>(second_base.get()), static_cast<void*>(p.get()));
    EXPECT_EQ(static_cast<offset_ptr<derived>>(second_base).get(), &d);
    EXPECT_EQ(static_cast<offset_ptr<derived>>(offset_ptr<other_base>()).get(), nullptr);
}

} // namespace

// Files of code that were loaded to the same addresses, one after another.
#include "trace/chunk/code_places.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace mallard::trace;

constexpr std::uint64_t plug_in_begin = 0x7f00'0000'0000;
constexpr std::uint64_t plug_in_end = plug_in_begin + 0x1000;
constexpr std::uint64_t plug_in_level = plug_in_begin + 0x123;

code_file plug_in(const std::string& path, std::uint64_t ticks, std::uint64_t from = plug_in_begin,
                  std::uint64_t to = plug_in_end) {
    return {
        .begin = from, .end = to, .load_address = from, .build_id = {}, .path = path, .first_ticks = ticks};
}

TEST(code_places, leaves_files_at_addresses_of_their_own) {
    code_places places;
    code_file first = plug_in("a.so", 10);
    code_file second = plug_in("b.so", 20, plug_in_end, plug_in_end + 0x1000);
    places.add(first);
    places.add(second);
    EXPECT_EQ(first.begin, plug_in_begin);
    EXPECT_EQ(second.begin, plug_in_end);
    EXPECT_EQ(places.find_level(plug_in_level, 30), plug_in_level);
}

TEST(code_places, tells_files_apart_by_the_order_of_loads) {
    code_places places;
    code_file first = plug_in("a.so", 10);
    code_file second = plug_in("b.so", 20);
    code_file again = plug_in("a.so", 30);
    places.add(first);
    places.add(second);
    places.add(again);
    EXPECT_EQ(first.begin, plug_in_begin);
    EXPECT_EQ(again.begin, plug_in_begin);
    EXPECT_NE(second.begin, plug_in_begin);
    EXPECT_EQ(second.end - second.begin, plug_in_end - plug_in_begin);
    EXPECT_EQ(second.load_address, second.begin);
    EXPECT_EQ(places.find_level(plug_in_level, 15), plug_in_level);
    EXPECT_EQ(places.find_level(plug_in_level, 20), second.begin + 0x123);
    EXPECT_EQ(places.find_level(plug_in_level, 29), second.begin + 0x123);
    EXPECT_EQ(places.find_level(plug_in_level, 31), plug_in_level);
}

TEST(code_places, keeps_the_mark_of_an_interrupted_level) {
    code_places places;
    code_file first = plug_in("a.so", 10);
    code_file second = plug_in("b.so", 20);
    places.add(first);
    places.add(second);
    const std::uint64_t moved = places.find_level(plug_in_begin | interrupted_level, 25);
    EXPECT_EQ(moved, second.begin | interrupted_level);
    EXPECT_EQ(places.find_level(plug_in_begin, 25), plug_in_begin)
        << "the call returns to the file's first instruction";
}

TEST(code_places, gives_each_of_three_files_a_place) {
    code_places places;
    code_file first = plug_in("a.so", 10);
    code_file second = plug_in("b.so", 20);
    code_file third = plug_in("c.so", 30, plug_in_begin - 0x800, plug_in_begin + 0x800);
    places.add(first);
    places.add(second);
    places.add(third);
    EXPECT_GE(third.begin, second.end);
    EXPECT_EQ(places.find_level(plug_in_level, 35), third.begin + 0x923);
    EXPECT_EQ(places.find_level(plug_in_begin + 0x900, 35), second.begin + 0x900) << "behind the third file";
}

TEST(code_places, keeps_the_addresses_of_impossible_files) {
    code_places places;
    code_file first = plug_in("a.so", 10, 0, ~std::uint64_t{0});
    code_file second = plug_in("b.so", 20, 1, ~std::uint64_t{0});
    places.add(first);
    places.add(second);
    EXPECT_EQ(second.begin, 1U);
    EXPECT_EQ(places.find_level(plug_in_level, 30), plug_in_level);
}

} // namespace

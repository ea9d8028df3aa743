#include "equipment/ledger.hpp"

#include <mallard/impl/space/chunk_rooms.hpp>
#include <mallard/impl/space/growing_space.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using space_type = mallard::space::growing_space<mallard::space::absolute_links>;
using rooms_type = mallard::space::chunk_rooms<equipment::ledger, false>;

constexpr mallard::chunk_growth growth{.first_chunk_bytes = 1024, .largest_chunk_bytes = 4096, .factor = 2};

class chunk_rooms : public ::testing::Test {
protected:
    ~chunk_rooms() override { rooms_.release(); }

    [[nodiscard]] std::size_t rooms() const {
        std::size_t count = 0;
        EXPECT_TRUE(rooms_.walk_rooms([&](const std::byte*, const std::byte*) { return ++count != 0; }));
        return count;
    }

    equipment::ledger source_;
    rooms_type rooms_{source_, growth};
    space_type space_;
};

TEST_F(chunk_rooms, stay_in_order_around_those_that_went_back) {
    std::array<mallard::space::heap_block, 3> used;
    for (mallard::space::heap_block& b : used) {
        ASSERT_TRUE(rooms_.add_room_for(space_, 64, false));
        b = space_.take(64);
        ASSERT_TRUE(b);
    }
    EXPECT_EQ(rooms_.stats().upstream_calls, 3U);
    EXPECT_EQ(rooms_.stats().chunks, 3U);
    for (std::size_t count = 3; count-- != 0;) {
        const std::size_t emptied = count == 2 ? 1 : count == 1 ? 2 : 0; // from the middle, then the newest
        space_.give(used[emptied]);
        space_.retire_remainder();
        rooms_.trim(space_);
        EXPECT_EQ(rooms(), count);
        EXPECT_TRUE(rooms_.damaged().sound());
        EXPECT_EQ(rooms_.stats().chunks, count);
        EXPECT_EQ(rooms_.stats().chunk_bytes, source_.outstanding_bytes());
    }
    EXPECT_EQ(rooms_.stats().upstream_calls, 3U);
}

TEST_F(chunk_rooms, end_a_walk_at_the_first_refusal) {
    ASSERT_TRUE(rooms_.add_room_for(space_, 64, false));
    ASSERT_TRUE(rooms_.add_room_for(space_, 64, false));
    std::size_t count = 0;
    EXPECT_FALSE(rooms_.walk_rooms([&](const std::byte*, const std::byte*) { return ++count == 2; }));
    EXPECT_EQ(count, 1U);
    space_.clear();
}

TEST_F(chunk_rooms, bound_a_wish_by_the_largest_chunk) {
    const std::size_t most = rooms_.room_of_chunk(0, SIZE_MAX);
    EXPECT_EQ(most, 4096 - mallard::core::align_up(3 * sizeof(std::size_t), 16));
    EXPECT_EQ(rooms_.room_of_chunk(0, most - 1), most - 1);
    EXPECT_EQ(rooms_.room_of_chunk(most + 1, SIZE_MAX), most + 1);
}

TEST_F(chunk_rooms, reserve_ranges_only_over_system_upstream) {
    EXPECT_FALSE(rooms_.allocate_large(std::size_t{1} << 20, 16));
    EXPECT_FALSE(rooms_.find_large([](mallard::space::heap_block) { FAIL(); }));
}

} // namespace

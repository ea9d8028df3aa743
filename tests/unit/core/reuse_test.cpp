#include <mallard/core/first_freed.hpp>
#include <mallard/core/last_freed.hpp>
#include <mallard/core/reuse.hpp>

#include <gtest/gtest.h>

namespace {

TEST(reuse_order, is_what_a_pool_can_be_given) {
    EXPECT_TRUE(mallard::reuse_order<mallard::last_freed>);
    EXPECT_TRUE(mallard::reuse_order<mallard::first_freed>);
    EXPECT_FALSE(mallard::reuse_order<mallard::carves_blocks>);
    EXPECT_FALSE(mallard::reuse_order<int>);
}

TEST(carves_blocks, aligns_multiples_of_16_and_nothing_else) {
    alignas(16) std::byte room[64];
    std::byte* cursor = room;
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 64, mallard::size_class(24)), room);
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 64, mallard::size_class(16)), room + 32);
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 64, mallard::size_class(8)), room + 48);
    EXPECT_EQ(cursor, room + 56);
}

TEST(carves_blocks, leaves_room_that_is_too_short_as_it_is) {
    alignas(16) std::byte room[32];
    std::byte* cursor = room + 8;
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 16, mallard::size_class(16)), nullptr);
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 24, mallard::size_class(16)), nullptr)
        << "the padding counts";
    EXPECT_EQ(cursor, room + 8);
    EXPECT_EQ(mallard::carves_blocks::carve(cursor, room + 32, mallard::size_class(16)), room + 16);
    EXPECT_EQ(cursor, room + 32);
}

TEST(carves_blocks, keeps_blocks_from_sharing_a_set_of_the_cache) {
    alignas(64) static std::byte room[4 * 8192 + 1024];
    std::byte* cursor = room;
    const std::size_t index = mallard::size_class(8192);
    auto* const first = static_cast<std::byte*>(mallard::carves_blocks::carve(cursor, std::end(room), index));
    auto* const second =
        static_cast<std::byte*>(mallard::carves_blocks::carve(cursor, std::end(room), index));
    EXPECT_EQ(second - first, 8192 + 64);
    EXPECT_LE(first + mallard::carves_blocks::room_for(index), second)
        << "the room that is asked for holds block and distance";
}

} // namespace

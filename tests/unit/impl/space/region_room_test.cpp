#include <mallard/impl/space/region_room.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <new>

namespace {

using room_type = mallard::space::region_room;

class region_room : public ::testing::Test {
protected:
    alignas(16) std::byte memory_[8192]{};
    room_type& room_ = *::new (memory_) room_type(sizeof(memory_));
};

TEST_F(region_room, spans_region_between_heap_and_end_tag) {
    EXPECT_EQ(room_.begin(), memory_);
    EXPECT_EQ(room_.first(), memory_ + room_type::metadata_bytes);
    EXPECT_EQ(room_.end(), memory_ + sizeof(memory_) - 8);
    EXPECT_EQ((room_type::metadata_bytes + 8) % 16, 0U);
    EXPECT_GE(room_type::metadata_bytes, sizeof(room_type) + sizeof(room_type::space_type));
}

TEST_F(region_room, is_the_only_one) {
    room_type::space_type space;
    EXPECT_FALSE(room_type::add_room_for(space, 64, true));
    int rooms = 0;
    EXPECT_FALSE(room_.walk_rooms([&](const std::byte* begin, const std::byte* end) {
        EXPECT_EQ(begin, room_.first());
        EXPECT_EQ(end, room_.end());
        return ++rooms != 1;
    }));
    EXPECT_EQ(rooms, 1);
}

TEST_F(region_room, recognises_signature) {
    EXPECT_TRUE(room_.is_signed());
    EXPECT_TRUE(room_.damaged().sound());
    room_.end_signature();
    EXPECT_STREQ(room_.damaged().defect, "the signature of the region is damaged");
}

TEST(root_type, compares_names_of_one_compiler) {
    using type = mallard::space::root_type;
    constexpr type number = type::from<int>();
    EXPECT_TRUE(number.matches(type::from<int>()));
    EXPECT_FALSE(number.matches(type::from<unsigned>()));
    type elsewhere = type::from<unsigned>();
    ++elsewhere.dialect;
    EXPECT_TRUE(number.matches(elsewhere)) << "another compiler may write another name";
    ++elsewhere.bytes;
    EXPECT_FALSE(number.matches(elsewhere));
    elsewhere = number;
    elsewhere.alignment *= 2;
    EXPECT_FALSE(number.matches(elsewhere));
}

} // namespace

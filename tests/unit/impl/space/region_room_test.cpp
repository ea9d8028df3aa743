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

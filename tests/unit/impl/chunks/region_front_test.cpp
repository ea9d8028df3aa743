#include <mallard/core/alignment.hpp>
#include <mallard/impl/chunks/region_front.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace {

class region_front : public testing::Test {
protected:
    void TearDown() override { mallard::core::unpoison(room_, sizeof room_); }

    alignas(16) std::byte room_[256];
    mallard::chunks::region_front front_;
};

TEST_F(region_front, cuts_blocks_at_multiples_of_their_alignment) {
    front_.set_room(room_, room_ + 256);
    EXPECT_EQ(front_.allocate(1, 1), room_);
    EXPECT_EQ(front_.allocate(0, 8), room_ + 8) << "a block of 0 bytes has a unique address";
    EXPECT_EQ(front_.allocate(9, 8), room_ + 16);
    EXPECT_EQ(front_.allocate(8, 4), room_ + 32);
    EXPECT_EQ(front_.allocate(8, 16), room_ + 48);
    EXPECT_EQ(front_.cursor(), room_ + 56);
    EXPECT_EQ(front_.free_bytes(), 200U);
}

TEST_F(region_front, serves_the_last_bytes_and_refuses_more) {
    front_.set_room(room_, room_ + 256);
    EXPECT_EQ(front_.allocate(257, 8), nullptr);
    EXPECT_EQ(front_.allocate(SIZE_MAX - 6, 8), nullptr) << "a size that rounding up would wrap";
    EXPECT_EQ(front_.allocate(250, 8), room_);
    EXPECT_EQ(front_.allocate(1, 8), nullptr);
    EXPECT_EQ(front_.limit(), room_ + 256);
}

} // namespace

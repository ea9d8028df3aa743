#include "fuzz/decisions.hpp"
#include "fuzz/shadow_heap.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

class shadow_heap : public ::testing::Test {
protected:
    static std::string text(const char* wrong) { return wrong == nullptr ? "" : wrong; }

    alignas(64) std::byte room_[1024]{};
    fuzz::shadow_heap shadow_;
};

TEST_F(shadow_heap, finds_blocks_that_overlap) {
    EXPECT_EQ(text(shadow_.add(room_ + 64, 64, 60, 64)), "");
    EXPECT_EQ(text(shadow_.add(room_ + 48, 17, 17, 8)), "a block that reaches into the next one");
    EXPECT_EQ(text(shadow_.add(room_ + 127, 1, 1, 1)), "a block that begins within another");
    EXPECT_EQ(text(shadow_.add(room_ + 127, 0, 0, 1)), "a block that begins within another");
    EXPECT_EQ(text(shadow_.add(room_ + 128, 0, 0, 8)), "");
    EXPECT_EQ(text(shadow_.add(room_ + 48, 16, 16, 8)), "");
    EXPECT_EQ(text(shadow_.remove(0)), "");
    EXPECT_EQ(text(shadow_.add(room_ + 64, 63, 60, 1)), "");
    EXPECT_EQ(shadow_.size(), 3U);
    EXPECT_EQ(shadow_.bytes(), 0U + 16U + 63U);
}

TEST_F(shadow_heap, finds_blocks_that_violate_the_request) {
    EXPECT_EQ(text(shadow_.add(room_ + 8, 16, 16, 16)), "a misaligned block");
    EXPECT_EQ(text(shadow_.add(room_, 15, 16, 16)), "a block that is too small");
}

TEST_F(shadow_heap, finds_every_byte_that_changes) {
    for (const std::size_t begin : {0U, 3U, 8U}) {
        for (const std::size_t bytes : {1U, 7U, 8U, 9U, 31U}) {
            shadow_.clear();
            ASSERT_EQ(shadow_.add(room_ + begin, bytes, bytes, 1), nullptr);
            for (std::size_t i = 0; i < bytes; ++i) {
                room_[begin + i] ^= std::byte{16};
                EXPECT_EQ(text(shadow_.look_at_all()), "bytes that changed in a live block") << i;
                room_[begin + i] ^= std::byte{16};
                EXPECT_EQ(shadow_.look_at(0), nullptr);
            }
        }
    }
}

TEST_F(shadow_heap, follows_a_resized_block) {
    ASSERT_EQ(shadow_.add(room_ + 512, 100, 100, 16), nullptr);
    EXPECT_EQ(text(shadow_.resize(0, room_ + 512, 200, 150)), "");
    EXPECT_EQ(text(shadow_.resize(0, room_ + 256, 500, 400)), "");
    EXPECT_EQ(text(shadow_.look_at_all()), "");
    EXPECT_EQ(text(shadow_.resize(0, room_ + 256, 300, 300)), "");
    room_[255 + 300] ^= std::byte{1};
    EXPECT_EQ(text(shadow_.resize(0, room_ + 256, 400, 400)),
              "bytes that changed when a block got another size");
}

TEST_F(shadow_heap, finds_growth_that_goes_wrong) {
    ASSERT_EQ(shadow_.add(room_ + 512, 100, 100, 16), nullptr);
    ASSERT_EQ(shadow_.add(room_ + 640, 100, 100, 16), nullptr);
    EXPECT_EQ(text(shadow_.resize(0, room_ + 512, 100, 101)), "a block that is too small");
    EXPECT_EQ(text(shadow_.resize(0, room_ + 512, 129, 100)), "a block that reaches into the next one");
    shadow_.clear();
    ASSERT_EQ(shadow_.add(room_ + 512, 100, 100, 16), nullptr);
    EXPECT_EQ(text(shadow_.resize(0, room_ + 528, 200, 100)), "a block that grew to another place");
    shadow_.clear();
    ASSERT_EQ(shadow_.add(room_ + 512, 100, 100, 16), nullptr);
    EXPECT_EQ(text(shadow_.resize(0, room_, 100, 100)), "a block that grew to another place");
}

TEST_F(shadow_heap, finds_ends_of_blocks) {
    ASSERT_EQ(shadow_.add(room_ + 64, 10, 10, 8), nullptr);
    ASSERT_NE(shadow_.find_end(room_ + 64), nullptr);
    EXPECT_EQ(*shadow_.find_end(room_ + 64), reinterpret_cast<std::uintptr_t>(room_ + 74));
    EXPECT_EQ(shadow_.find_end(room_ + 65), nullptr);
}

TEST(decisions, take_as_few_bytes_as_needed) {
    constexpr std::array<std::uint8_t, 5> bytes{7, 1, 2, 0, 255};
    fuzz::decisions draw(bytes);
    EXPECT_EQ(draw.below(1), 0U);
    EXPECT_EQ(draw.below(5), 7U % 5U);
    EXPECT_EQ(draw.below(1000), (256U + 2U) % 1000U);
    EXPECT_TRUE(draw.one_in(256));
    EXPECT_TRUE(draw.has_more());
    EXPECT_EQ(draw.byte(), 255U);
    EXPECT_FALSE(draw.has_more());
    EXPECT_EQ(draw.below(std::size_t{1} << 40), 0U) << "where nothing is left, everything is 0";
}

} // namespace

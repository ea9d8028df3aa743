// The shadow detects every fault of a block.
#include "model/random_source.hpp"
#include "model/shadow.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace {

class shadow_heap : public ::testing::Test {
protected:
    static std::string text(const char* wrong) { return wrong == nullptr ? "" : wrong; }

    alignas(64) std::byte room_[1024]{};
    model::shadow shadow_;
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

class live_blocks_of_a_buffer : public ::testing::Test {
protected:
    void add(std::size_t at, std::size_t bytes) { EXPECT_STREQ(blocks_.add(&room_[at], bytes, 1), nullptr); }

    alignas(64) std::array<std::byte, 20'000> room_{};
    model::shadow blocks_{model::detail::sampled};
};

TEST_F(live_blocks_of_a_buffer, require_a_block_and_its_alignment) {
    EXPECT_STREQ(blocks_.add(nullptr, 8, 8), "no block, and no exception");
    EXPECT_STREQ(blocks_.add(&room_[4], 8, 8), "a misaligned block");
    EXPECT_TRUE(blocks_.empty());
}

TEST_F(live_blocks_of_a_buffer, see_every_changed_byte_of_small_blocks) {
    for (const std::size_t bytes : {1U, 7U, 8U, 24U, 127U, 128U}) {
        add(0, bytes);
        for (std::size_t i = 0; i != bytes; ++i) {
            room_[i] ^= std::byte{1};
            EXPECT_STREQ(blocks_.look_at(0), "bytes that changed in a live block") << i << " of " << bytes;
            room_[i] ^= std::byte{1};
        }
        EXPECT_STREQ(blocks_.remove(0), nullptr);
    }
}

TEST_F(live_blocks_of_a_buffer, see_the_edges_of_large_blocks_change) {
    for (const std::size_t bytes : {129U, 4096U, 4097U, 10'003U}) {
        add(8, bytes);
        for (const std::size_t i : {std::size_t{0}, std::size_t{63}, bytes - 64, bytes - 1}) {
            room_[8 + i] ^= std::byte{0x80};
            EXPECT_STREQ(blocks_.look_at(0), "bytes that changed in a live block") << i << " of " << bytes;
            room_[8 + i] ^= std::byte{0x80};
        }
        EXPECT_STREQ(blocks_.remove(0), nullptr);
    }
}

TEST_F(live_blocks_of_a_buffer, see_double_allocation) {
    add(0, 8);
    add(0, 8);
    EXPECT_STREQ(blocks_.remove(0), "bytes that changed in a live block");
}

TEST_F(live_blocks_of_a_buffer, see_overlaps_without_changed_bytes) {
    add(0, 8192);
    add(2000, 0); // between two words that are written
    EXPECT_STREQ(blocks_.look_at_all(), "blocks that overlap");
    blocks_.clear();
    add(0, 8);
    add(8, 0);
    add(9, 0);
    EXPECT_STREQ(blocks_.look_at_all(), nullptr);
    add(9, 0);
    EXPECT_STREQ(blocks_.look_at_all(), "blocks that overlap");
}

TEST_F(live_blocks_of_a_buffer, verify_only_the_kept_bytes) {
    add(0, 100);
    room_[60] ^= std::byte{1};
    EXPECT_STREQ(blocks_.resize(0, room_.data(), 60, 60), nullptr);
    EXPECT_STREQ(blocks_.look_at(0), nullptr);
}

TEST_F(live_blocks_of_a_buffer, forget_blocks_behind_a_mark) {
    add(0, 10);
    const auto stamp = blocks_.next_stamp();
    add(100, 20);
    add(200, 30);
    blocks_.forget_from(stamp);
    ASSERT_EQ(blocks_.size(), 1U);
    EXPECT_EQ(blocks_[0].bytes, 10U);
    EXPECT_EQ(blocks_.bytes(), 10U);
}

TEST(decisions, take_as_few_bytes_as_needed) {
    constexpr std::array<std::uint8_t, 5> bytes{7, 1, 2, 0, 255};
    model::random_source draw(std::span<const std::uint8_t>{bytes});
    EXPECT_EQ(draw.below(1), 0U);
    EXPECT_EQ(draw.below(5), 7U % 5U);
    EXPECT_EQ(draw.below(1000), (256U + 2U) % 1000U);
    EXPECT_TRUE(draw.one_in(256));
    EXPECT_TRUE(draw.has_more());
    EXPECT_EQ(draw.below(256), 255U);
    EXPECT_FALSE(draw.has_more());
    EXPECT_EQ(draw.below(std::size_t{1} << 30), 0U) << "where nothing is left, everything is 0";
}

} // namespace

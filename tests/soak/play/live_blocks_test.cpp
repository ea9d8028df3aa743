// The shadow detects every fault of a block.
#include "soak/play/live_blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace {

using soak::live_blocks;

class live_blocks_of_a_buffer : public ::testing::Test {
protected:
    void add(std::size_t at, std::size_t bytes) { EXPECT_STREQ(blocks_.add(&room_[at], bytes, 1), nullptr); }

    alignas(64) std::array<std::byte, 20'000> room_{};
    live_blocks blocks_;
};

TEST_F(live_blocks_of_a_buffer, accept_correct_blocks) {
    for (std::size_t bytes = 0; bytes < 140; ++bytes) {
        add(bytes * 140, bytes);
    }
    EXPECT_STREQ(blocks_.look_at_all(), nullptr);
    EXPECT_EQ(blocks_.live_bytes(), 139U * 140 / 2);
    while (!blocks_.empty()) {
        EXPECT_STREQ(blocks_.remove(blocks_.size() / 2), nullptr);
    }
    EXPECT_EQ(blocks_.live_bytes(), 0U);
}

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
            EXPECT_STREQ(blocks_.look_at(0), "a block whose bytes changed") << i << " of " << bytes;
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
            EXPECT_STREQ(blocks_.look_at(0), "a block whose bytes changed") << i << " of " << bytes;
            room_[8 + i] ^= std::byte{0x80};
        }
        EXPECT_STREQ(blocks_.remove(0), nullptr);
    }
}

TEST_F(live_blocks_of_a_buffer, see_double_allocation) {
    add(0, 8);
    add(0, 8);
    EXPECT_STREQ(blocks_.remove(0), "a block whose bytes changed");
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

TEST_F(live_blocks_of_a_buffer, require_contents_to_survive_a_resize) {
    for (const std::size_t bytes : {5U, 100U, 1000U, 6000U}) {
        add(0, bytes);
        EXPECT_STREQ(blocks_.resize(0, room_.data(), bytes + 900, bytes), nullptr);
        EXPECT_STREQ(blocks_.look_at(0), nullptr);
        EXPECT_STREQ(blocks_.resize(0, room_.data(), bytes, bytes), nullptr);
        EXPECT_EQ(blocks_.live_bytes(), bytes);
        room_[0] ^= std::byte{1};
        EXPECT_STREQ(blocks_.resize(0, room_.data(), bytes + 1, bytes), "a block whose bytes changed");
        blocks_.clear();
    }
}

TEST_F(live_blocks_of_a_buffer, verify_only_the_kept_bytes) {
    add(0, 100);
    room_[60] ^= std::byte{1};
    EXPECT_STREQ(blocks_.resize(0, room_.data(), 60, 60), nullptr);
    EXPECT_STREQ(blocks_.look_at(0), nullptr);
}

TEST_F(live_blocks_of_a_buffer, forget_blocks_behind_a_mark) {
    add(0, 10);
    const auto mark = blocks_.next_mark();
    add(100, 20);
    add(200, 30);
    blocks_.forget_from(mark);
    ASSERT_EQ(blocks_.size(), 1U);
    EXPECT_EQ(blocks_[0].bytes, 10U);
    EXPECT_EQ(blocks_.live_bytes(), 10U);
}

} // namespace

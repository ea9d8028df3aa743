#include "equipment/room_of_blocks.hpp"

#include <mallard/impl/space/heap_sanity.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using mallard::heap_sanity;
using mallard::space::heap_block;

constexpr const char* damaged_front =
    "the word in front of the block, or the end of the free block before it, is damaged";
constexpr const char* damaged_links = "the links of the free block are damaged";

TEST(heap_use, is_of_nothing_at_first) {
    const mallard::heap_use use;
    EXPECT_EQ(use.used_blocks, 0U);
    EXPECT_EQ(use.used_bytes, 0U);
    EXPECT_EQ(use.free_blocks, 0U);
    EXPECT_EQ(use.free_bytes, 0U);
    EXPECT_EQ(use.largest_free_bytes, 0U) << "where no block is free";
    EXPECT_EQ(use.held_bytes, 0U);
    const mallard::heap_block_info block;
    EXPECT_EQ(block.bytes, 0U);
    EXPECT_FALSE(block.in_use);
}

template <class Space>
class sanity : public ::testing::Test {
protected:
    sanity() {
        for (int i = 0; i < 8; ++i) {
            blocks_.push_back(space_.take(64));
        }
        // free:  1    3    5    and the remainder
        for (const std::size_t i : {1U, 3U, 5U}) {
            space_.give(blocks_[i]);
        }
        EXPECT_TRUE(space_.sanity().sound());
        EXPECT_EQ(space_.sanity().block, nullptr);
    }

    /// Effects: overwrites a word, looks, and restores it.
    heap_sanity look_with(std::byte* at, std::size_t word) const {
        const std::size_t original = mallard::space::read_word(at);
        mallard::space::write_word(at, word);
        const heap_sanity result = space_.sanity();
        mallard::space::write_word(at, original);
        EXPECT_TRUE(space_.sanity().sound());
        return result;
    }

    Space space_;
    std::vector<heap_block> blocks_;
};

using kinds = ::testing::Types<equipment::room_of_blocks<mallard::space::absolute_links>,
                               equipment::room_of_blocks<mallard::space::relative_links>>;
TYPED_TEST_SUITE(sanity, kinds);

/// A size that could be one leads to where no block begins.
TYPED_TEST(sanity, finds_a_word_that_tells_of_another_size) {
    for (std::size_t i = 0; i < 8; ++i) {
        for (const std::size_t bytes : {32U, 48U, 80U, 96U}) {
            const heap_block b = this->blocks_[i];
            EXPECT_FALSE(this->look_with(b.begin(), bytes | (b.tag() & heap_block::flags)).sound())
                << i << " with " << bytes;
        }
    }
}

TYPED_TEST(sanity, finds_flags_that_are_not_true) {
    const heap_sanity in_use = this->look_with(this->blocks_[1].begin(), this->blocks_[1].tag() | 1);
    EXPECT_STREQ(in_use.defect, damaged_front);
    EXPECT_EQ(in_use.block, this->blocks_[2].payload());
    const heap_sanity front_in_use = this->look_with(this->blocks_[2].begin(), this->blocks_[2].tag() | 2);
    EXPECT_STREQ(front_in_use.defect, damaged_front);
    EXPECT_EQ(front_in_use.block, this->blocks_[2].payload());
    EXPECT_FALSE(this->look_with(this->blocks_[7].begin(), this->blocks_[7].tag() & ~std::size_t{1}).sound());
    EXPECT_FALSE(this->look_with(this->blocks_[0].begin(), this->blocks_[0].tag() | 4).sound());
}

TYPED_TEST(sanity, finds_a_free_block_that_was_written_to) {
    const heap_block b = this->blocks_[3];
    const heap_sanity end = this->look_with(b.next().begin() - 8, 48);
    EXPECT_STREQ(end.defect, damaged_front);
    EXPECT_EQ(end.block, this->blocks_[4].payload());
    for (std::byte* const link : {b.next_link(), b.previous_link()}) {
        for (const std::size_t word : {std::size_t{8}, std::size_t{1}, SIZE_MAX,
                                       std::size_t{0x4141414141414141}, std::size_t{1} << 47}) {
            const heap_sanity result = this->look_with(link, word);
            EXPECT_FALSE(result.sound());
            EXPECT_STREQ(result.defect, damaged_links) << word;
            EXPECT_EQ(result.block, b.payload()) << word;
        }
    }
}

/// A link into the room is followed only if a block could lie there.
TYPED_TEST(sanity, follows_no_link_out_of_the_room) {
    for (const std::size_t i : {1U, 3U, 5U}) {
        const heap_block b = this->blocks_[i];
        for (std::byte* const link : {b.next_link(), b.previous_link()}) {
            for (std::byte* const to : {this->space_.end(), this->space_.end() - 8, this->space_.end() - 16,
                                        this->space_.begin() - 16, this->blocks_[4].begin(),
                                        this->blocks_[4].begin() + 3, b.begin()}) {
                const std::size_t original = mallard::space::read_word(link);
                TypeParam::links::store(link, heap_block(to));
                const heap_sanity result = this->space_.sanity();
                mallard::space::write_word(link, original);
                EXPECT_FALSE(result.sound()) << i << " to " << to - this->space_.begin();
            }
        }
    }
}

TYPED_TEST(sanity, detects_overwritten_end_of_room) {
    const heap_sanity result = this->look_with(this->space_.end(), 0x41414141);
    EXPECT_FALSE(result.sound());
    this->space_.retire_remainder();
    const heap_sanity listed = this->look_with(this->space_.end(), 0x41414141);
    EXPECT_STREQ(listed.defect, "the word at the end of a room is damaged");
}

} // namespace

#include <mallard/core/alignment.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/reserved_blocks.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace {

using mallard::space::heap_block;
using mallard::space::reserved_blocks;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

class reserved : public ::testing::Test {
protected:
    ~reserved() override {
        blocks_.release();
        EXPECT_EQ(blocks_.count(), 0U);
        EXPECT_EQ(blocks_.committed_bytes(), 0U);
    }

    /// Effects: writes to all of it.
    static void fill(heap_block b, int with) {
        mallard::core::unpoison(b.payload(), b.payload_bytes());
        std::memset(b.payload(), with, b.payload_bytes());
    }

    reserved_blocks blocks_;
};

TEST_F(reserved, are_cache_line_aligned_blocks) {
    const heap_block b = blocks_.allocate(300 * kib);
    ASSERT_TRUE(b);
    EXPECT_TRUE(mallard::core::is_aligned(b.payload(), 64));
    EXPECT_TRUE(reserved_blocks::serve(64));
    EXPECT_FALSE(reserved_blocks::serve(128));
    EXPECT_GE(b.payload_bytes(), 300 * kib);
    EXPECT_LT(b.payload_bytes(), 310 * kib);
    EXPECT_TRUE(b.is(heap_block::in_use));
    EXPECT_TRUE(b.is(heap_block::reserved));
    fill(b, 1);
    EXPECT_EQ(blocks_.count(), 1U);
    EXPECT_GE(blocks_.committed_bytes(), b.payload_bytes());
}

TEST_F(reserved, grow_where_they_are) {
    const heap_block b = blocks_.allocate(300 * kib);
    fill(b, 1);
    const std::size_t old_bytes = b.payload_bytes();
    ASSERT_TRUE(blocks_.grow(b, 400 * kib, 500 * kib));
    EXPECT_GE(b.payload_bytes(), 500 * kib);
    EXPECT_EQ(b.payload()[old_bytes - 1], std::byte{1});
    ASSERT_TRUE(blocks_.grow(b, 50 * mib, 50 * mib));
    EXPECT_GE(b.payload_bytes(), 50 * mib);
    EXPECT_EQ(b.payload()[old_bytes - 1], std::byte{1});
    fill(b, 2);
}

TEST_F(reserved, grow_by_an_eighth_at_least) {
    const heap_block b = blocks_.allocate(mib);
    std::size_t steps = 0;
    for (std::size_t bytes = mib; bytes < 64 * mib; bytes += 4 * kib) {
        const std::size_t old_bytes = b.payload_bytes();
        ASSERT_TRUE(blocks_.grow(b, bytes, bytes));
        ASSERT_GE(b.payload_bytes(), bytes);
        steps += b.payload_bytes() != old_bytes ? 1U : 0U;
    }
    EXPECT_LT(steps, 40U);
    EXPECT_GT(steps, 3U);
}

TEST_F(reserved, grow_no_further_than_their_range) {
    const heap_block b = blocks_.allocate(300 * kib);
    const std::size_t old_bytes = b.payload_bytes();
    EXPECT_FALSE(blocks_.grow(b, 2 * reserved_blocks::least_range_bytes, SIZE_MAX / 4));
    EXPECT_EQ(b.payload_bytes(), old_bytes);
    ASSERT_TRUE(blocks_.grow(b, reserved_blocks::least_range_bytes / 2, SIZE_MAX / 4)) << "as far as it goes";
    EXPECT_GE(b.payload_bytes(), reserved_blocks::least_range_bytes / 2);
    EXPECT_LT(b.payload_bytes(), reserved_blocks::least_range_bytes);
    EXPECT_TRUE(blocks_.grow(b, 100, 100)) << "it has that";
}

TEST_F(reserved, have_requested_bytes_or_fail) {
    for (unsigned k = mallard::core::poisons_memory ? 48 : 18; k != 64; ++k) {
        for (const std::size_t bytes :
             {(std::size_t{1} << k) - 1, std::size_t{1} << k, (std::size_t{1} << k) + 1}) {
            if (const heap_block b = blocks_.allocate(bytes)) {
                EXPECT_GE(b.payload_bytes(), bytes);
                mallard::core::unpoison(b.payload(), b.payload_bytes());
                b.payload()[bytes - 1] = std::byte{1};
                blocks_.deallocate(b);
            }
        }
    }
    for (std::size_t less = 0; less != 200; ++less) {
        EXPECT_FALSE(blocks_.allocate(SIZE_MAX - less)) << less;
    }
    EXPECT_EQ(blocks_.count(), 0U);
}

TEST_F(reserved, reuse_most_recently_freed_range) {
    const heap_block b = blocks_.allocate(20 * mib);
    fill(b, 1);
    blocks_.deallocate(b);
    EXPECT_EQ(blocks_.count(), 0U);
    EXPECT_GE(blocks_.committed_bytes(), 20 * mib);

    const heap_block again = blocks_.allocate(300 * kib);
    EXPECT_EQ(again, b);
    EXPECT_GE(again.payload_bytes(), 300 * kib);
    EXPECT_LT(again.payload_bytes(), 400 * kib) << "not all that is committed";
    EXPECT_TRUE(reserved_blocks::is_sound(again));
    fill(again, 2);
    ASSERT_TRUE(blocks_.grow(again, 30 * mib, 30 * mib));
    EXPECT_EQ(again.payload()[300 * kib - 1], std::byte{2});
    fill(again, 3);
    blocks_.shrink(again, 300 * kib);
    EXPECT_LT(blocks_.committed_bytes(), mib);
    EXPECT_EQ(again.payload()[300 * kib - 1], std::byte{3});
    EXPECT_TRUE(reserved_blocks::is_sound(again));
}

TEST_F(reserved, keep_one_bounded_spare_range) {
    const heap_block small = blocks_.allocate(300 * kib);
    const heap_block second = blocks_.allocate(400 * kib);
    const heap_block large = blocks_.allocate(reserved_blocks::most_spare_bytes + mib);
    blocks_.deallocate(large);
    EXPECT_LT(blocks_.committed_bytes(), mib);
    blocks_.deallocate(second);
    blocks_.deallocate(small);
    EXPECT_LT(blocks_.committed_bytes(), 320 * kib) << "the other one went";
    EXPECT_GT(blocks_.committed_bytes(), 300 * kib);
    blocks_.trim();
    EXPECT_EQ(blocks_.committed_bytes(), 0U);
}

TEST_F(reserved, spare_range_is_released_on_demand) {
    const heap_block b = blocks_.allocate(300 * kib);
    const heap_block spare = blocks_.allocate(300 * kib);
    fill(b, 1);
    blocks_.deallocate(spare);
    EXPECT_FALSE(blocks_.make_way(3 * reserved_blocks::least_range_bytes)) << "they do not have so much";
    ASSERT_TRUE(blocks_.grow(b, mib, mib));
    const std::size_t old_bytes = b.payload_bytes();
    ASSERT_TRUE(blocks_.make_way(2 * reserved_blocks::least_range_bytes - 4 * mib));
    EXPECT_LT(blocks_.committed_bytes(), old_bytes + mib) << "the spare range was released";
    EXPECT_EQ(b.payload()[300 * kib - 64], std::byte{1});
    EXPECT_FALSE(blocks_.grow(b, 64 * mib, 64 * mib));
    EXPECT_EQ(b.payload_bytes(), old_bytes);
    fill(b, 2);
    EXPECT_FALSE(blocks_.make_way(1)) << "there is nothing left";

    const heap_block second = blocks_.allocate(300 * kib);
    ASSERT_TRUE(second);
    EXPECT_FALSE(blocks_.grow(second, 64 * mib, 64 * mib));
    blocks_.trim();
    const heap_block third = blocks_.allocate(300 * kib);
    EXPECT_TRUE(blocks_.grow(third, 64 * mib, 64 * mib));
    blocks_.shrink(b, 300 * kib);
    EXPECT_LT(b.payload_bytes(), 400 * kib);
    ASSERT_TRUE(blocks_.grow(b, old_bytes, old_bytes)) << "as far as it was";
    fill(b, 3);
    std::size_t seen = 0;
    EXPECT_FALSE(
        blocks_.for_each([&](heap_block block) { seen += reserved_blocks::is_sound(block) ? 1U : 0U; }));
    EXPECT_EQ(seen, 3U);

    ASSERT_TRUE(blocks_.make_way(mib));
    for (const heap_block block : {b, second, third}) {
        blocks_.deallocate(block);
    }
    EXPECT_TRUE(blocks_.grow(blocks_.allocate(300 * kib), 64 * mib, 64 * mib)) << "no range remains";
}

/// Blocks that are too large for their ranges to wait.
TEST_F(reserved, reserve_no_room_while_crowded) {
    constexpr std::size_t bytes = 2 * reserved_blocks::most_spare_bytes;
    const heap_block first = blocks_.allocate(bytes);
    const heap_block second = blocks_.allocate(bytes);
    ASSERT_TRUE(blocks_.make_way(mib));
    blocks_.deallocate(first);
    const heap_block third = blocks_.allocate(bytes);
    EXPECT_FALSE(blocks_.grow(third, bytes + bytes / 2, bytes + bytes / 2));
    blocks_.deallocate(second);
    blocks_.deallocate(third);
    const heap_block fourth = blocks_.allocate(bytes);
    EXPECT_TRUE(blocks_.grow(fourth, bytes + bytes / 2, bytes + bytes / 2));
}

} // namespace

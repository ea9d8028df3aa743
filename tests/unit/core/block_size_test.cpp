#include <mallard/core/block_size.hpp>

#include <gtest/gtest.h>

namespace {

using mallard::block_size;

TEST(block_size, rounds_to_size_of_holding_block) {
    EXPECT_EQ((block_size{1, 1}.of_block().bytes), sizeof(void*));
    EXPECT_EQ((block_size{20, 4}.of_block().bytes), 20U);
    EXPECT_EQ((block_size{20, 4}.of_block().alignment), 4U);
    EXPECT_EQ((block_size{20, 8}.of_block().bytes), 24U);
    EXPECT_EQ((block_size{64, 1}.of_block().alignment), 16U);
    EXPECT_EQ((block_size{100, 64}.of_block().bytes), 128U);
    EXPECT_EQ(block_size::of<double>().bytes, sizeof(double));
}

TEST(block_size, is_possible_up_to_a_bound) {
    EXPECT_TRUE((block_size{std::size_t{1} << 30, 16}.is_possible()));
    EXPECT_FALSE((block_size{(std::size_t{1} << 30) + 1, 16}.is_possible()));
    EXPECT_FALSE((block_size{24, 24}.is_possible()));
}

TEST(block_size, adds_guard_zones) {
    for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
        for (std::size_t alignment = 1; alignment <= 256; alignment *= 2) {
            const block_size plain = block_size{bytes, alignment}.of_block();
            const block_size larger = block_size{bytes, alignment}.with_zones().of_block();
            EXPECT_EQ(larger.alignment, plain.alignment) << bytes << " at " << alignment;
            EXPECT_EQ(larger.bytes_without_zones(), plain.bytes) << bytes << " at " << alignment;
            for (std::size_t less = 1; less <= plain.alignment; less *= 2) {
                EXPECT_GE(larger.bytes, mallard::core::front_zone_bytes(less) + plain.bytes +
                                            mallard::core::guard_zone_bytes);
            }
        }
    }
}

} // namespace

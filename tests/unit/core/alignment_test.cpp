#include <mallard/core/alignment.hpp>

#include <gtest/gtest.h>

namespace {

TEST(alignment, knows_powers_of_two) {
    std::size_t powers = 0;
    for (std::size_t n = 0; n <= 4096; ++n) {
        powers += mallard::is_power_of_two(n) ? 1U : 0U;
    }
    EXPECT_EQ(powers, 13U);
    EXPECT_FALSE(mallard::is_power_of_two(0));
    EXPECT_TRUE(mallard::is_power_of_two(std::size_t{1} << 63));
    EXPECT_FALSE(mallard::is_power_of_two(SIZE_MAX));
}

TEST(alignment, counts_the_bits_of_a_number) {
    EXPECT_EQ(mallard::core::bit_width(0U), 0U);
    for (unsigned i = 0; i < 64; ++i) {
        const std::uint64_t power = std::uint64_t{1} << i;
        EXPECT_EQ(mallard::core::bit_width(power), i + 1);
        EXPECT_EQ(mallard::core::bit_width(power - 1), i);
    }
    EXPECT_EQ(mallard::core::bit_width(std::uint8_t{255}), 8U);
}

TEST(alignment, rounds_to_the_next_multiple) {
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (std::size_t n = 0; n <= 2 * alignment; ++n) {
            const std::size_t up = mallard::core::align_up(n, alignment);
            ASSERT_EQ(up % alignment, 0U);
            ASSERT_GE(up, n);
            ASSERT_LT(up - n, alignment);
            const std::size_t down = mallard::core::align_down(n, alignment);
            ASSERT_EQ(down % alignment, 0U);
            ASSERT_LE(down, n);
            ASSERT_LT(n - down, alignment);
        }
    }
}

TEST(alignment, gives_zero_where_rounding_wraps) {
    EXPECT_EQ(mallard::core::align_up(SIZE_MAX, 16), 0U);
    EXPECT_EQ(mallard::core::align_up(SIZE_MAX - 14, 16), 0U);
    EXPECT_EQ(mallard::core::align_up(SIZE_MAX - 15, 16), SIZE_MAX - 15);
}

TEST(alignment, padding_reaches_next_aligned_address) {
    alignas(64) const std::byte memory[128] = {};
    for (std::size_t offset = 0; offset <= 64; ++offset) {
        for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
            const std::byte* p = memory + offset;
            ASSERT_EQ((offset + mallard::core::padding_to(p, alignment)) % alignment, 0U);
            ASSERT_LT(mallard::core::padding_to(p, alignment), alignment);
            ASSERT_EQ(mallard::core::is_aligned(p, alignment), offset % alignment == 0);
        }
    }
    EXPECT_EQ(mallard::core::padding_to(nullptr, 4096), 0U);
}

} // namespace

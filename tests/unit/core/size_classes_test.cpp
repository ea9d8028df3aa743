#include <mallard/core/size_classes.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

constexpr std::size_t to = 64 << 10;

using mallard::class_bytes;
using mallard::size_class;

TEST(size_classes, hold_what_they_serve_and_no_class_below_would) {
    for (std::size_t bytes = 1; bytes <= to; ++bytes) {
        const std::size_t index = size_class(bytes);
        ASSERT_GE(class_bytes(index), bytes);
        ASSERT_TRUE(index == 0 || class_bytes(index - 1) < bytes) << bytes;
    }
}

TEST(size_classes, waste_at_most_an_eighth) {
    for (std::size_t bytes = 129; bytes <= to; ++bytes) {
        const std::size_t waste = class_bytes(size_class(bytes)) - bytes;
        ASSERT_LE(waste * 8, bytes) << bytes;
    }
    for (std::size_t bytes = 1; bytes <= 128; ++bytes) {
        ASSERT_LT(class_bytes(size_class(bytes)) - bytes, 8U) << bytes;
    }
}

TEST(size_classes, are_each_the_class_of_their_own_block_size) {
    for (std::size_t index = 0; index <= size_class(to); ++index) {
        ASSERT_EQ(size_class(class_bytes(index)), index);
        ASSERT_EQ(size_class(class_bytes(index) + 1), index + 1);
        ASSERT_EQ(class_bytes(index) % 8, 0U);
        ASSERT_TRUE(class_bytes(index) <= 128 || class_bytes(index) % 16 == 0);
    }
}

TEST(size_classes, serve_the_fundamental_alignment) {
    for (std::size_t alignment = 1; alignment <= 16; alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= to; ++bytes) {
            const std::size_t block = class_bytes(size_class(bytes, alignment));
            ASSERT_GE(block, bytes);
            ASSERT_EQ(block % alignment, 0U) << bytes << " at " << alignment;
            // The alignment may cost what rounding the size up to it costs, and no more.
            const std::size_t rounded =
                (bytes == 0 ? alignment : bytes + alignment - 1) / alignment * alignment;
            ASSERT_EQ(block, class_bytes(size_class(rounded))) << bytes << " at " << alignment;
        }
    }
}

TEST(size_classes, give_no_bytes_the_smallest_block) {
    EXPECT_EQ(class_bytes(size_class(0)), 8U);
    EXPECT_EQ(class_bytes(size_class(0, 16)), 16U);
}

TEST(size_classes, do_not_wrap_for_sizes_that_nobody_has) {
    const std::size_t beyond = size_class(std::size_t{1} << 40);
    for (std::size_t alignment = 1; alignment <= 16; alignment *= 2) {
        for (const std::size_t less : {0U, 1U, 7U, 8U, 15U, 16U, 4095U}) {
            EXPECT_GT(size_class(SIZE_MAX - less, alignment), beyond);
            EXPECT_GT(size_class(PTRDIFF_MAX - less, alignment), beyond);
        }
    }
}

TEST(size_classes, tell_the_largest_block_that_fits) {
    for (std::size_t bytes = 8; bytes <= to; ++bytes) {
        const std::size_t index = mallard::size_class_within(bytes);
        ASSERT_LE(class_bytes(index), bytes);
        ASSERT_GT(class_bytes(index + 1), bytes);
    }
}

} // namespace

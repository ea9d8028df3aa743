#include <mallard/reuse/size_classes.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t to = 64 << 10;

/// The contract of every policy.
template <class Classes>
class size_classes : public ::testing::Test {};

using policies =
    ::testing::Types<mallard::eighth_classes, mallard::power_of_two_classes, mallard::shrinking_classes>;
TYPED_TEST_SUITE(size_classes, policies);

TYPED_TEST(size_classes, are_the_smallest_sufficient) {
    for (std::size_t bytes = 1; bytes <= to; ++bytes) {
        const std::size_t index = TypeParam::index(bytes, 8);
        ASSERT_GE(TypeParam::bytes(index), bytes);
        ASSERT_TRUE(index == 0 || TypeParam::bytes(index - 1) < bytes) << bytes;
    }
}

TYPED_TEST(size_classes, block_size_maps_to_own_class) {
    for (std::size_t index = 0; index <= TypeParam::index(to, 8); ++index) {
        const std::size_t block = TypeParam::bytes(index);
        ASSERT_EQ(TypeParam::index(block, 8), index);
        ASSERT_EQ(TypeParam::index(block + 1, 8), index + 1);
        ASSERT_EQ(block % 8, 0U);
        ASSERT_TRUE(block <= 128 || block % 16 == 0);
    }
}

TYPED_TEST(size_classes, are_sound_for_both_fundamental_alignments) {
    EXPECT_TRUE((mallard::reuse::has_sound_classes<TypeParam, 8>()));
    EXPECT_TRUE((mallard::reuse::has_sound_classes<TypeParam, 16>()));
}

TYPED_TEST(size_classes, serve_the_fundamental_alignment) {
    for (std::size_t alignment = 1; alignment <= 16; alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= to; ++bytes) {
            const std::size_t block = TypeParam::bytes(TypeParam::index(bytes, alignment));
            ASSERT_GE(block, bytes);
            ASSERT_EQ(block % alignment, 0U) << bytes << " at " << alignment;
            // An alignment costs no more than the size rounded up to it.
            const std::size_t rounded =
                (bytes == 0 ? alignment : bytes + alignment - 1) / alignment * alignment;
            ASSERT_EQ(block, TypeParam::bytes(TypeParam::index(rounded, 8))) << bytes << " at " << alignment;
        }
    }
}

TYPED_TEST(size_classes, do_not_wrap_for_sizes_that_nobody_has) {
    const std::size_t beyond = TypeParam::index(std::size_t{1} << 40, 8);
    for (std::size_t alignment = 1; alignment <= 16; alignment *= 2) {
        for (const std::size_t less : {0U, 1U, 7U, 8U, 15U, 16U, 4095U}) {
            EXPECT_GT(TypeParam::index(SIZE_MAX - less, alignment), beyond);
            EXPECT_GT(TypeParam::index(PTRDIFF_MAX - less, alignment), beyond);
        }
    }
}

TYPED_TEST(size_classes, tell_the_largest_block_that_fits) {
    for (std::size_t bytes = TypeParam::bytes(0); bytes <= to; ++bytes) {
        const std::size_t index = TypeParam::within(bytes);
        ASSERT_LE(TypeParam::bytes(index), bytes);
        ASSERT_GT(TypeParam::bytes(index + 1), bytes);
    }
}

TYPED_TEST(size_classes, block_can_hold_class_table) {
    const std::size_t last = TypeParam::index(std::size_t{1} << 30, 8);
    for (std::size_t index = 0; index <= last; ++index) {
        ASSERT_GE(TypeParam::bytes(index) / sizeof(void*), index + 1);
    }
    EXPECT_LT(last, 512U);
}

TEST(eighth_classes, waste_at_most_an_eighth) {
    using classes = mallard::eighth_classes;
    for (std::size_t bytes = 129; bytes <= to; ++bytes) {
        const std::size_t waste = classes::bytes(classes::index(bytes)) - bytes;
        ASSERT_LE(waste * 8, bytes) << bytes;
    }
    for (std::size_t bytes = 1; bytes <= 128; ++bytes) {
        ASSERT_LT(classes::bytes(classes::index(bytes)) - bytes, 8U) << bytes;
    }
}

TEST(shrinking_classes, are_the_eighths_from_16_bytes_on) {
    using classes = mallard::shrinking_classes;
    EXPECT_EQ(classes::bytes(0), 16U);
    for (std::size_t bytes = 9; bytes <= to; ++bytes) {
        ASSERT_EQ(classes::bytes(classes::index(bytes)),
                  mallard::eighth_classes::bytes(mallard::eighth_classes::index(bytes)));
    }
}

TEST(power_of_two_classes, are_powers_of_two_and_nothing_else) {
    using classes = mallard::power_of_two_classes;
    for (std::size_t index = 0; index < 20; ++index) {
        EXPECT_EQ(classes::bytes(index), std::size_t{8} << index);
    }
}

/// Every second of the default classes, with the defect `Mistake`.
enum class mistake {
    none,
    in_bytes,
    in_within,
    in_number,
    in_step,
    in_last,
    of_nothing,
    of_everything,
    of_one_byte_more,
};

template <mistake Mistake>
struct coarse_classes {
    static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t expected = mallard::eighth_classes::index(bytes, alignment);
        if ((Mistake == mistake::of_nothing && bytes == 0) ||
            (Mistake == mistake::of_everything && bytes == SIZE_MAX)) {
            return Mistake == mistake::of_nothing ? 1 : 0;
        }
        if (Mistake == mistake::of_one_byte_more && bytes == 129) {
            return expected / 2 - 1;
        }
        return Mistake == mistake::in_number ? expected * 3 : expected / 2;
    }
    static constexpr std::size_t bytes(std::size_t index) noexcept {
        const std::size_t expected = mallard::eighth_classes::bytes(2 * index + 1);
        return Mistake == mistake::in_bytes && index == 7                        ? expected - 8
               : Mistake == mistake::in_step && index == 9                       ? expected + 8
               : Mistake == mistake::in_last && expected >= std::size_t{1} << 30 ? expected << 2
                                                                                 : expected;
    }
    static constexpr std::size_t within(std::size_t bytes) noexcept {
        return mallard::eighth_classes::index(bytes + 1) / 2 - (Mistake == mistake::in_within ? 0 : 1);
    }
};

TEST(size_class_policy, accepts_consistent_classes) {
    EXPECT_TRUE(mallard::reuse::has_sound_classes<coarse_classes<mistake::none>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::in_bytes>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::in_within>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::in_number>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::in_step>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::in_last>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::of_nothing>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::of_everything>>());
    EXPECT_FALSE(mallard::reuse::has_sound_classes<coarse_classes<mistake::of_one_byte_more>>());
}

/// Powers of two that end with the class of 2^30 bytes.
struct classes_up_to_the_last {
    static constexpr std::size_t last = mallard::power_of_two_classes::index(std::size_t{1} << 30);

    static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        return mallard::power_of_two_classes::index(bytes, alignment);
    }
    static constexpr std::size_t bytes(std::size_t index) noexcept {
        return index <= last ? mallard::power_of_two_classes::bytes(index) : 0;
    }
    static constexpr std::size_t within(std::size_t bytes) noexcept {
        return mallard::power_of_two_classes::within(bytes);
    }
};

/// 8 bytes apart up to 128, 16 apart up to 16 times `Doubling`, and then `Doubling` sizes to each doubling.
template <std::size_t Doubling>
struct fine_classes {
    static constexpr std::size_t even = 16 * Doubling;
    static constexpr std::size_t first = 16 + (even - 128) / 16;

    static constexpr std::size_t index(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t last = mallard::reuse::last_byte(bytes, alignment);
        if (last < even) {
            return last < 128 ? last / 8 : 8 + last / 16;
        }
        const unsigned log2 = static_cast<unsigned>(std::bit_width(last / even)) - 1;
        return first + log2 * Doubling + ((last >> log2) - even) * Doubling / even;
    }
    static constexpr std::size_t bytes(std::size_t index) noexcept {
        if (index < first) {
            return index < 16 ? (index + 1) * 8 : (index - 7) * 16;
        }
        const std::size_t step = index - first;
        return (even + (step % Doubling + 1) * even / Doubling) << (step / Doubling);
    }
    static constexpr std::size_t within(std::size_t bytes) noexcept { return index(bytes + 1, 8) - 1; }
};

TEST(size_class_policy, validates_classes_up_to_one_gibibyte) {
    EXPECT_TRUE(mallard::reuse::has_sound_classes<classes_up_to_the_last>());
}

TEST(size_class_policy, has_a_bound_for_the_number_of_classes) {
    EXPECT_EQ((fine_classes<16>::index(std::size_t{1} << 30, 8)), 375U);
    EXPECT_TRUE(mallard::reuse::has_sound_classes<fine_classes<16>>());
    EXPECT_EQ((fine_classes<32>::index(std::size_t{1} << 30, 8)), 711U);
    EXPECT_FALSE(mallard::reuse::has_sound_classes<fine_classes<32>>());
}

} // namespace

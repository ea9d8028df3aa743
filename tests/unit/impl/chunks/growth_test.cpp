#include <mallard/impl/chunks/growth.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t block_bytes = 24;

TEST(growth, multiplies_up_to_the_cap_and_doubles_from_4_kib_on) {
    constexpr std::size_t kib = 1024;
    struct {
        mallard::chunk_growth growth;
        std::vector<std::size_t> chunk_bytes;
    } const plans[] = {
        {{.first_chunk_bytes = 64, .largest_chunk_bytes = 1024}, {64, 128, 256, 512, 1024, 1024, 1024}},
        {{.first_chunk_bytes = 64, .largest_chunk_bytes = 2048, .factor = 4}, {64, 256, 1024, 2048, 2048}},
        {{.first_chunk_bytes = 2 * kib, .factor = 4}, {2 * kib, 8 * kib, 16 * kib}},
    };
    for (const auto& plan : plans) {
        mallard::chunks::next_chunk next(plan.growth);
        for (const std::size_t expected : plan.chunk_bytes) {
            EXPECT_EQ(next.bytes_for(block_bytes), expected);
            next.took(expected, block_bytes);
        }
    }
}

TEST(growth, repeats_sizes_from_16_to_128_kib) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 16 << 10});
    constexpr std::pair<unsigned, int> sizes[] = {{16, 2}, {32, 4}, {64, 8}, {128, 8}, {256, 1}, {512, 1}};
    for (const auto& [kib, chunks] : sizes) {
        for (int i = 0; i != chunks; ++i) {
            EXPECT_EQ(next.bytes(), std::size_t{kib} << 10) << i;
            next.took(next.bytes(), block_bytes);
        }
    }
    EXPECT_EQ(next.bytes(), 1U << 20);
}

TEST(growth, newest_chunk_is_a_small_part_of_all) {
    mallard::chunks::next_chunk next({});
    std::size_t held_bytes = 0;
    while (next.bytes() <= 1 << 20) {
        const std::size_t newest_bytes = next.bytes();
        held_bytes += newest_bytes;
        EXPECT_TRUE(held_bytes < 200 << 10 || 10 * newest_bytes < 3 * held_bytes)
            << newest_bytes << " of " << held_bytes;
        next.took(newest_bytes, block_bytes);
    }
}

TEST(growth, repeats_a_size_that_a_request_enlarged) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 16 << 10});
    next.took(16 << 10, block_bytes);
    next.took(32 << 10, block_bytes);
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(next.bytes(), 32U << 10) << i;
        next.took(next.bytes(), block_bytes);
    }
    EXPECT_EQ(next.bytes(), 64U << 10);
}

TEST(growth, restart_forgets_repetitions) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 16 << 10});
    next.took(16 << 10, block_bytes);
    next.restart();
    next.took(16 << 10, block_bytes);
    EXPECT_EQ(next.bytes(), 16U << 10);
}

TEST(growth, repeats_no_size_for_few_blocks) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 64 << 10});
    next.took(64 << 10, (2 << 10) + 1);
    EXPECT_EQ(next.bytes(), 128U << 10) << "the rest of a chunk of 31 blocks";
    next.took(128 << 10, 4 << 10);
    EXPECT_EQ(next.bytes(), 128U << 10);
}

TEST(growth, smaller_chunk_resets_to_first_size) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 256, .largest_chunk_bytes = 2048, .factor = 4});
    next.took(40, block_bytes);
    EXPECT_EQ(next.bytes_for(block_bytes), 256U);
}

TEST(growth, makes_room_for_a_large_request) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    EXPECT_EQ(next.bytes_for(65), 128U);
    EXPECT_EQ(next.bytes_for(513), 1024U);
    EXPECT_EQ(next.bytes_for(1025), 1025U) << "beyond the cap a request gets what it needs and no more";
    next.took(512, block_bytes);
    EXPECT_EQ(next.bytes_for(1), 1024U);
}

TEST(growth, begins_again) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    next.took(512, block_bytes);
    next.restart();
    EXPECT_EQ(next.bytes_for(1), 64U);
    EXPECT_EQ(next.first_bytes(), 64U);
    next.restart(300);
    EXPECT_EQ(next.bytes_for(1), 512U);
    next.restart(100000);
    EXPECT_EQ(next.bytes_for(1), 1024U);
}

/// Options that only a user without the documentation would give.
const std::size_t any_number[] = {0,
                                  1,
                                  2,
                                  3,
                                  63,
                                  64,
                                  65,
                                  100,
                                  3000,
                                  4097,
                                  3'000'000,
                                  12'345'677,
                                  1 << 20,
                                  SIZE_MAX / 2,
                                  SIZE_MAX / 2 + 1,
                                  SIZE_MAX - 1,
                                  SIZE_MAX};

void expect_sense(mallard::chunk_growth growth) {
    mallard::chunks::next_chunk next(growth);
    const std::size_t cap = next.largest_bytes();
    ASSERT_TRUE(std::has_single_bit(cap) && std::has_single_bit(next.first_bytes()));
    ASSERT_GE(next.first_bytes(), 64U);
    ASSERT_LE(next.first_bytes(), cap);
    ASSERT_LE(cap, mallard::chunks::next_chunk::most_bytes);
    if (growth.largest_chunk_bytes >= 64) {
        ASSERT_LE(cap, growth.largest_chunk_bytes) << "a limit is kept";
        ASSERT_TRUE(cap > growth.largest_chunk_bytes / 2 || cap == mallard::chunks::next_chunk::most_bytes);
    }
    if (growth.first_chunk_bytes >= 64 && growth.first_chunk_bytes <= cap) {
        ASSERT_GE(next.first_bytes(), growth.first_chunk_bytes);
        ASSERT_LT(next.first_bytes() / 2, growth.first_chunk_bytes);
    }
    std::size_t chunks = 0;
    for (std::size_t bytes = 0; bytes < cap; ++chunks) {
        bytes = next.bytes_for(block_bytes);
        next.took(bytes, block_bytes);
        ASSERT_LE(chunks, 46U + 18U) << "it gets to the largest chunk; 18 repeat a size";
    }
}

TEST(growth, makes_sense_of_any_numbers) {
    for (const std::size_t first : any_number) {
        for (const std::size_t largest : any_number) {
            for (const std::size_t factor : any_number) {
                SCOPED_TRACE(::testing::Message() << first << ", " << largest << ", " << factor);
                expect_sense({first, largest, factor});
                ASSERT_FALSE(HasFatalFailure());
            }
        }
    }
}

TEST(growth, zero_means_default) {
    const mallard::chunks::next_chunk next({0, 0, 0});
    const mallard::chunk_growth defaults;
    EXPECT_EQ(next.first_bytes(), defaults.first_chunk_bytes);
    EXPECT_EQ(next.largest_bytes(), defaults.largest_chunk_bytes);
}

TEST(growth, rounds_a_factor_up) {
    mallard::chunks::next_chunk next({.first_chunk_bytes = 64, .factor = 3});
    next.took(64, block_bytes);
    EXPECT_EQ(next.bytes_for(1), 256U);
    mallard::chunks::next_chunk least({.first_chunk_bytes = 64, .factor = 1});
    least.took(64, block_bytes);
    EXPECT_EQ(least.bytes_for(1), 128U);
    mallard::chunks::next_chunk most(
        {.first_chunk_bytes = 64, .largest_chunk_bytes = SIZE_MAX, .factor = SIZE_MAX});
    most.took(64, block_bytes);
    EXPECT_EQ(most.bytes(), std::min(std::uint64_t{64} << 31, std::uint64_t{most.most_bytes}));
}

TEST(growth, respects_bound_of_allocator) {
    for (const std::size_t largest : any_number) {
        EXPECT_LE(mallard::chunks::next_chunk({.largest_chunk_bytes = largest}, 1024).largest_bytes(), 1024U);
    }
}

} // namespace


#include <mallard/core/stats.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

namespace {

TEST(stats, are_zero_at_first_and_add_up) {
    const mallard::allocator_stats none;
    const mallard::allocator_stats some{
        .chunks = 1, .chunk_bytes = 2, .large_blocks = 3, .large_bytes = 4, .spills = 5, .upstream_calls = 6};
    for (const mallard::allocator_stats& sum : {none + some, some + none}) {
        EXPECT_EQ(sum.chunks, 1U);
        EXPECT_EQ(sum.chunk_bytes, 2U);
        EXPECT_EQ(sum.large_blocks, 3U);
        EXPECT_EQ(sum.large_bytes, 4U);
        EXPECT_EQ(sum.spills, 5U);
        EXPECT_EQ(sum.upstream_calls, 6U);
    }
    EXPECT_EQ((some + some).large_bytes, 8U);
}

} // namespace

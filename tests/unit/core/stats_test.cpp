#include "equipment/ledger.hpp"

#include <mallard/core/stats.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

namespace {

/// The statistics of an allocator equal those of the upstream.
template <class A>
void expect_stats_match(const A& allocator, const equipment::ledger& source) {
    const mallard::allocator_stats stats = allocator.stats();
    EXPECT_EQ(stats.chunks + stats.large_blocks, source.outstanding());
    EXPECT_EQ(stats.chunk_bytes + stats.large_bytes, source.outstanding_bytes());
    EXPECT_EQ(stats.upstream_calls, source.granted().size());
}

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

TEST(stats, monotonic_stats_match_upstream) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(source);
    expect_stats_match(arena, source);
    for (std::size_t bytes = 1; bytes < 100000; bytes *= 3) {
        static_cast<void>(arena.allocate(bytes));
        static_cast<void>(arena.allocate(bytes, 256));
        expect_stats_match(arena, source);
    }
    arena.release();
    expect_stats_match(arena, source);
    EXPECT_GT(arena.stats().upstream_calls, 0U) << "counted since construction, over releases";
}

TEST(stats, multipool_stats_match_upstream) {
    equipment::ledger source;
    mallard::multipool<equipment::ledger> pool(source, {.largest_pooled_bytes = 1024});
    for (std::size_t bytes = 1; bytes < 100000; bytes *= 3) {
        void* p = pool.allocate(bytes);
        static_cast<void>(pool.allocate(bytes, 256));
        expect_stats_match(pool, source);
        pool.deallocate(p, bytes);
        expect_stats_match(pool, source);
    }
    EXPECT_GT(pool.stats().large_blocks, 0U);
    pool.release();
    expect_stats_match(pool, source);
}

} // namespace

#include "equipment/ledger.hpp"

#include <mallard/core/stats.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

namespace {

/// An allocator's statistics equal those of its upstream.
template <class A>
void expect_told_as_seen(const A& allocator, const equipment::ledger& source) {
    const mallard::allocator_stats told = allocator.stats();
    EXPECT_EQ(told.chunks + told.large_blocks, source.outstanding());
    EXPECT_EQ(told.chunk_bytes + told.large_bytes, source.outstanding_bytes());
    EXPECT_EQ(told.upstream_calls, source.granted().size());
}

TEST(stats, of_a_monotonic_allocator_agree_with_its_upstream) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(source);
    expect_told_as_seen(arena, source);
    for (std::size_t bytes = 1; bytes < 100000; bytes *= 3) {
        static_cast<void>(arena.allocate(bytes));
        static_cast<void>(arena.allocate(bytes, 256));
        expect_told_as_seen(arena, source);
    }
    arena.release();
    expect_told_as_seen(arena, source);
    EXPECT_GT(arena.stats().upstream_calls, 0U) << "counted since construction, over releases";
}

TEST(stats, of_a_multipool_agree_with_its_upstream) {
    equipment::ledger source;
    mallard::multipool<equipment::ledger> pool(source, {.largest_pooled_bytes = 1024});
    for (std::size_t bytes = 1; bytes < 100000; bytes *= 3) {
        void* p = pool.allocate(bytes);
        static_cast<void>(pool.allocate(bytes, 256));
        expect_told_as_seen(pool, source);
        pool.deallocate(p, bytes);
        expect_told_as_seen(pool, source);
    }
    EXPECT_GT(pool.stats().large_blocks, 0U);
    pool.release();
    expect_told_as_seen(pool, source);
}

} // namespace

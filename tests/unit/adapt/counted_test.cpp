#include "equipment/ledger.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

TEST(counted, counts_requests_and_bytes_as_they_were_asked) {
    mallard::counted<mallard::multipool<>> pool;
    void* const a = pool.allocate(100, 8);
    void* const b = pool.allocate(50, 64);
    pool.deallocate(a, 100, 8);
    static_cast<void>(pool.allocate(0, 1));

    const mallard::allocation_counts c = pool.counts();
    EXPECT_EQ(c.allocations, 3U);
    EXPECT_EQ(c.deallocations, 1U);
    EXPECT_EQ(c.allocated_bytes, 150U);
    EXPECT_EQ(c.bytes_in_use, 50U);
    EXPECT_EQ(c.peak_bytes, 150U);
    EXPECT_EQ(c.failures, 0U);
    pool.deallocate(b, 50, 64);
}

TEST(counted, has_nothing_in_use_after_a_release) {
    mallard::counted<mallard::monotonic<>> arena;
    static_cast<void>(arena.allocate(100, 8));
    arena.release();
    EXPECT_EQ(arena.counts().bytes_in_use, 0U);
    static_cast<void>(arena.allocate(70, 8));
    arena.rewind();
    EXPECT_EQ(arena.counts().bytes_in_use, 0U);
    EXPECT_EQ(arena.counts().peak_bytes, 100U);
    EXPECT_EQ(arena.counts().allocated_bytes, 170U);
}

TEST(counted, follows_a_rollback) {
    mallard::counted<mallard::monotonic<>> arena;
    static_cast<void>(arena.allocate(100, 8));
    {
        const mallard::checkpoint scratch(arena);
        static_cast<void>(arena.allocate(300, 8));
        EXPECT_EQ(arena.counts().bytes_in_use, 400U);
    }
    EXPECT_EQ(arena.counts().bytes_in_use, 100U);
    EXPECT_EQ(arena.counts().peak_bytes, 400U);
}

TEST(counted, tells_of_spills_and_upstream_calls) {
    equipment::ledger source;
    std::array<std::byte, 256> buffer;
    mallard::counted<mallard::monotonic<equipment::ledger>> arena(std::span<std::byte>(buffer), source);
    static_cast<void>(arena.allocate(100, 8));
    EXPECT_EQ(arena.counts().spills, 0U);
    EXPECT_EQ(arena.counts().upstream_calls, 0U);
    static_cast<void>(arena.allocate(1000, 8));
    EXPECT_EQ(arena.counts().spills, 1U);
    EXPECT_EQ(arena.counts().upstream_calls, 1U);
}

TEST(counted, counts_an_allocators_own_requests_as_its_upstream) {
    mallard::counted<mallard::new_delete> source;
    {
        mallard::multipool pool(source);
        for (int i = 0; i < 1000; ++i) {
            static_cast<void>(pool.allocate(24, 8));
        }
        EXPECT_EQ(source.counts().allocations, pool.stats().upstream_calls);
        EXPECT_EQ(source.counts().bytes_in_use, pool.stats().chunk_bytes);
    }
    EXPECT_EQ(source.counts().bytes_in_use, 0U);
    EXPECT_EQ(source.counts().deallocations, source.counts().allocations);
}

#ifdef __cpp_exceptions

TEST(counted, counts_failures_as_nothing_but_failures) {
    equipment::ledger source;
    mallard::counted<mallard::monotonic<equipment::ledger>> arena(source);
    source.fail({.at = 1});
    EXPECT_THROW(static_cast<void>(arena.allocate(100, 8)), std::bad_alloc);
    EXPECT_EQ(arena.counts().failures, 1U);
    EXPECT_EQ(arena.counts().allocations, 0U);
    EXPECT_EQ(arena.counts().bytes_in_use, 0U);
    EXPECT_EQ(arena.counts().peak_bytes, 0U);
}

#endif

} // namespace

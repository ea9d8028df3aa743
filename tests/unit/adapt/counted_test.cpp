#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

TEST(counted, counts_requested_bytes) {
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

TEST(counted, release_clears_bytes_in_use) {
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

TEST(counted, counts_growth_by_method) {
    using mallard::expansion;
    mallard::counted<equipment::plots> blocks;
    EXPECT_TRUE(mallard::expandable<decltype(blocks)>);
    void* const p = blocks.allocate(20, 8);
    EXPECT_EQ(blocks.usable_bytes(p), 32U);
    EXPECT_EQ(blocks.counts().bytes_in_use, 32U);
    EXPECT_EQ(blocks.expand(p, {.least_bytes = 100, .preferred_bytes = 200}).p, p);
    EXPECT_EQ(blocks.counts().grown_forward, 1U);
    EXPECT_EQ(blocks.counts().bytes_in_use, 208U);
    EXPECT_EQ(blocks.shrink(p, 200), 208U);
    EXPECT_EQ(blocks.counts().shrunk, 0U) << "where nothing came back";
    EXPECT_EQ(blocks.shrink(p, 40), 48U);
    EXPECT_EQ(blocks.counts().shrunk, 1U);
    EXPECT_EQ(blocks.counts().bytes_in_use, 48U);

    const auto back =
        blocks.try_expand(p, {.least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::backward});
    EXPECT_EQ(blocks.counts().grown_backward, 1U);
    EXPECT_EQ(blocks.counts().bytes_in_use, back.bytes);
    const auto fresh =
        blocks.expand(back.p, {.least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::fresh});
    EXPECT_EQ(blocks.counts().allocations, 2U);
    EXPECT_EQ(blocks.counts().bytes_in_use, back.bytes + fresh.bytes);
    EXPECT_EQ(blocks.counts().peak_bytes, back.bytes + fresh.bytes);
    EXPECT_EQ(blocks.counts().allocated_bytes, 32 + 176 + (back.bytes - 48) + fresh.bytes);

    const mallard::sized_block third = blocks.allocate_at_least(10, 8);
    EXPECT_EQ(blocks.counts().allocations, 3U);
    for (void* const block : {back.p, fresh.p, third.p}) {
        blocks.deallocate(block, 1, 1);
    }
    EXPECT_EQ(blocks.counts().bytes_in_use, 0U) << "for any passed size";
}

TEST(counted, failed_growth_in_place_is_no_failure) {
    using mallard::expansion;
    mallard::counted<equipment::plots> blocks;
    void* const p = blocks.allocate(20, 8);
    const std::size_t impossible = 2 * equipment::plots::plot_bytes;
    const mallard::expansion_request in_place{
        .least_bytes = impossible, .preferred_bytes = impossible, .allowed = expansion::in_place};
    EXPECT_EQ(blocks.expand(p, in_place).p, nullptr);
    EXPECT_EQ(blocks.try_expand(p, in_place).p, nullptr);
    EXPECT_EQ(blocks.counts().failures, 0U);
    EXPECT_EQ(blocks.try_expand(p, {.least_bytes = impossible, .preferred_bytes = impossible}).p, nullptr);
    EXPECT_EQ(blocks.try_allocate(impossible), nullptr);
    EXPECT_EQ(blocks.counts().failures, 2U);
    EXPECT_EQ(blocks.counts().bytes_in_use, 32U);
    EXPECT_NE(blocks.try_allocate(10), nullptr);
    EXPECT_EQ(blocks.counts().bytes_in_use, 48U);
}

TEST(counted, counts_changes_of_the_last_block) {
    mallard::counted<mallard::monotonic<>> arena;
    void* const p = arena.allocate(40, 8);
    EXPECT_TRUE(arena.resize_last(p, 40, 100));
    EXPECT_EQ(arena.counts().grown_forward, 1U);
    EXPECT_EQ(arena.counts().bytes_in_use, 100U);
    EXPECT_EQ(arena.counts().peak_bytes, 100U);
    EXPECT_EQ(arena.counts().allocated_bytes, 100U);
    EXPECT_TRUE(arena.resize_last(p, 100, 100));
    EXPECT_EQ(arena.counts().grown_forward, 1U);
    EXPECT_EQ(arena.counts().shrunk, 0U);
    EXPECT_TRUE(arena.resize_last(p, 100, 30));
    EXPECT_EQ(arena.counts().shrunk, 1U);
    EXPECT_EQ(arena.counts().bytes_in_use, 30U);
    EXPECT_FALSE(arena.resize_last(p, 30, SIZE_MAX));
    EXPECT_EQ(arena.counts().bytes_in_use, 30U);
    EXPECT_EQ(arena.counts().deallocations, 0U);
    EXPECT_TRUE(arena.resize_last(p, 30, 0));
    EXPECT_EQ(arena.counts().deallocations, 1U);
    EXPECT_EQ(arena.counts().shrunk, 1U);
    EXPECT_EQ(arena.counts().allocations, 1U);
    EXPECT_EQ(arena.counts().bytes_in_use, 0U);
    EXPECT_EQ(arena.counts().peak_bytes, 100U);
}

TEST(counted, counts_bursts_and_their_blocks) {
    mallard::counted<mallard::multipool<>> pool;
    EXPECT_TRUE(mallard::burst_allocator<decltype(pool)>);
    mallard::block_chain blocks = pool.allocate_many(24, 8, 10);
    EXPECT_EQ(pool.counts().bursts, 1U);
    EXPECT_EQ(pool.counts().allocations, 10U);
    EXPECT_EQ(pool.counts().bytes_in_use, 240U);
    pool.deallocate(blocks.pop_front(), 24, 8);
    pool.deallocate_many(std::move(blocks), 24, 8);
    EXPECT_EQ(pool.counts().bursts_back, 1U);
    EXPECT_EQ(pool.counts().deallocations, 10U);
    EXPECT_EQ(pool.counts().bytes_in_use, 0U);
}

TEST(counted, counts_usable_bytes_of_mixed_bursts) {
    mallard::counted<mallard::heap<>> h;
    EXPECT_TRUE(mallard::mixed_burst_allocator<decltype(h)>);
    const std::size_t sizes[] = {8, 100, 3000};
    mallard::block_chain blocks = h.allocate_many(sizes);
    EXPECT_EQ(h.counts().bursts, 1U);
    EXPECT_EQ(h.counts().allocations, 3U);
    EXPECT_EQ(h.counts().bytes_in_use, h.mechanism().use().used_bytes);
    EXPECT_GE(h.counts().bytes_in_use, 3108U);
    h.deallocate_many(std::move(blocks));
    EXPECT_EQ(h.counts().bursts_back, 1U);
    EXPECT_EQ(h.counts().deallocations, 3U);
    EXPECT_EQ(h.counts().bytes_in_use, 0U);
}

#ifdef __cpp_exceptions

TEST(counted, counts_failures_as_nothing_but_failures) {
    equipment::ledger source;
    mallard::counted<mallard::monotonic<equipment::ledger>> arena(source);
    source.fail({.at = 1, .for_ever = true});
    EXPECT_THROW(static_cast<void>(arena.allocate(100, 8)), std::bad_alloc);
    EXPECT_EQ(arena.counts().failures, 1U);
    EXPECT_EQ(arena.counts().allocations, 0U);
    EXPECT_EQ(arena.counts().bytes_in_use, 0U);
    EXPECT_EQ(arena.counts().peak_bytes, 0U);
}

#endif

} // namespace

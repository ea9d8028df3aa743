/// Plan: the order of reuse "at random" returns freed blocks, each once, in random order; the pools of the benchmark
/// work with it.
#include "runner/strategy/random_freed.hpp"

#include "runner/strategy/mechanisms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace {

TEST(random_freed, returns_every_free_block_once_in_random_order) {
    bench::multipool_by<bench::random_freed> pool;
    std::vector<void*> blocks(1000);
    for (void*& block : blocks) {
        block = pool.allocate(24, 8);
    }
    for (void* block : blocks) {
        pool.deallocate(block, 24, 8);
    }
    std::vector<void*> again(blocks.size());
    for (void*& block : again) {
        block = pool.allocate(24, 8);
    }
    std::size_t steps_up = 0;
    for (std::size_t i = 1; i != again.size(); ++i) {
        steps_up += static_cast<std::size_t>(again[i - 1] < again[i]);
    }
    EXPECT_NEAR(static_cast<double>(steps_up), 500.0, 100.0);
    std::ranges::sort(blocks);
    std::ranges::sort(again);
    EXPECT_EQ(again, blocks);
}

TEST(random_freed, separates_sizes) {
    bench::multipool_by<bench::random_freed> pool;
    void* small = pool.allocate(24, 8);
    void* large = pool.allocate(240, 8);
    pool.deallocate(small, 24, 8);
    pool.deallocate(large, 240, 8);
    EXPECT_EQ(pool.allocate(240, 8), large);
    EXPECT_EQ(pool.allocate(24, 8), small);
    pool.release();
    EXPECT_EQ(pool.stats().chunks, 0U);
}

} // namespace

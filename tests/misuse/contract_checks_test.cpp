// What the contract checks of an unoptimised build report; in an optimised one they cost nothing and say
// nothing.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

#ifdef NDEBUG

TEST(contract_checks, are_off) {
    mallard::monotonic<> arena;
    EXPECT_NE(arena.allocate(1, 8), nullptr);
    const mallard::multipool<> pool(mallard::multipool_options{.largest_pooled_bytes = 7});
    EXPECT_EQ(pool.largest_pooled_bytes(), 8U) << "what is required was not checked";
}

#else

const char* const broken = "a caller broke the contract";

TEST(contract_checks, find_alignments_that_are_none) {
    mallard::monotonic<> arena;
    mallard::multipool<> pool;
    for (const std::size_t alignment : {0U, 3U, 24U, 4095U}) {
        EXPECT_DEATH(static_cast<void>(arena.allocate(8, alignment)), broken) << alignment;
        EXPECT_DEATH(static_cast<void>(pool.allocate(8, alignment)), broken) << alignment;
    }
}

TEST(contract_checks, find_chunk_sizes_that_are_none) {
    EXPECT_DEATH(mallard::monotonic<>(mallard::chunk_growth{.first_chunk_bytes = 100}), broken);
    EXPECT_DEATH(mallard::monotonic<>(mallard::chunk_growth{.first_chunk_bytes = 32}), broken);
    EXPECT_DEATH(mallard::monotonic<>(mallard::chunk_growth{.largest_chunk_bytes = 0}), broken);
    EXPECT_DEATH(mallard::monotonic<>(mallard::chunk_growth{512, 256}), broken);
}

TEST(contract_checks, find_blocks_that_cannot_be) {
    using mallard::block_size;
    EXPECT_DEATH(mallard::fixed_pool<>(block_size{.bytes = 24, .alignment = 24}), broken);
    EXPECT_DEATH(mallard::fixed_pool<>(block_size{.bytes = std::size_t{2} << 30}), broken);
    mallard::fixed_pool<> pool;
    EXPECT_DEATH(static_cast<void>(pool.allocate(8, 3)), broken);
    void* const p = pool.allocate(24, 8);
    EXPECT_DEATH(pool.deallocate(p, 32, 8), broken) << "no block is so large";
    EXPECT_DEATH(mallard::single_arena<>(std::size_t{0}), broken);
}

TEST(contract_checks, find_bursts_of_blocks_that_hold_no_link) {
    mallard::multipool<> pool;
    EXPECT_DEATH(static_cast<void>(mallard::allocate_many(pool, 4, 4, 10)), broken);
}

TEST(contract_checks, find_pooled_sizes_that_are_none) {
    EXPECT_DEATH(mallard::multipool<>(mallard::multipool_options{.largest_pooled_bytes = 7}), broken);
    EXPECT_DEATH(mallard::multipool<>(mallard::multipool_options{.largest_pooled_bytes = 2U << 30}), broken);
}

#endif

} // namespace

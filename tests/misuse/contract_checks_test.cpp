// The reports of an unoptimised build's contract checks. In an optimised build they cost nothing and report nothing.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

#ifdef NDEBUG

TEST(contract_checks, are_off) {
    mallard::monotonic<> arena;
    EXPECT_NE(arena.allocate(1, 8), nullptr);
    mallard::fixed_pool<> pool;
    void* const p = pool.allocate(24, 8);
    pool.deallocate(p, 32, 8); // larger than any block, and not checked
    EXPECT_EQ(pool.allocate(24, 8), p);
}

#else

const char* const broken = "a caller broke the contract";

TEST(contract_checks, find_invalid_alignments) {
    mallard::monotonic<> arena;
    mallard::multipool<> pool;
    for (const std::size_t alignment : {0U, 3U, 24U, 4095U}) {
        EXPECT_DEATH(static_cast<void>(arena.allocate(8, alignment)), broken) << alignment;
        EXPECT_DEATH(static_cast<void>(pool.allocate(8, alignment)), broken) << alignment;
    }
}

TEST(contract_checks, find_impossible_sizes) {
    mallard::fixed_pool<> pool;
    EXPECT_DEATH(static_cast<void>(pool.allocate(8, 3)), broken);
    void* const p = pool.allocate(24, 8);
    EXPECT_DEATH(pool.deallocate(p, 32, 8), broken) << "no block is so large";
}

#endif

} // namespace

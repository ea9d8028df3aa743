#include "equipment/ledger.hpp"

#include <mallard/core/checked_calls.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace {

using arena_type = mallard::checked_calls<mallard::monotonic<equipment::ledger>>;
using pool_type = mallard::checked_calls<mallard::multipool<equipment::ledger>>;

class checked_calls : public ::testing::Test {
protected:
    equipment::ledger source_;
};

TEST_F(checked_calls, have_the_constructors_and_the_rest_of_the_mechanism) {
    const pool_type pool(source_, {.largest_pooled_bytes = 64});
    EXPECT_EQ(pool.largest_pooled_bytes(), 64U);
    EXPECT_EQ(pool.stats().chunks, 0U);
    EXPECT_TRUE(mallard::local_allocator<pool_type>);
    EXPECT_FALSE(mallard::rewindable<pool_type>);
    EXPECT_TRUE(mallard::rewindable<arena_type>);
}

TEST_F(checked_calls, lock_what_threads_share_and_nothing_else) {
    EXPECT_TRUE(mallard::thread_safe<mallard::checked_calls<mallard::concurrent_multipool<>>>);
    EXPECT_FALSE(mallard::thread_safe<pool_type>);
    EXPECT_LE(sizeof(pool_type),
              sizeof(mallard::multipool<equipment::ledger>) + sizeof(mallard::block_books));
}

TEST_F(checked_calls, leave_the_caller_the_whole_block) {
    pool_type pool(source_);
    for (const std::size_t bytes : {0U, 1U, 24U, 100000U}) {
        for (const std::size_t alignment : {1U, 8U, 4096U}) {
            void* const p = pool.allocate(bytes, alignment);
            EXPECT_TRUE(mallard::is_aligned(p, alignment));
            std::memset(p, 1, bytes);
            pool.deallocate(p, bytes, alignment);
        }
    }
    pool.release();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(source_.complaints(), equipment::no_complaints);
}

TEST_F(checked_calls, resize_the_last_block_with_its_zones) {
    arena_type arena(source_);
    auto* const p = static_cast<char*>(arena.allocate(40, 8));
    std::memset(p, 'x', 40);
    ASSERT_TRUE(arena.resize_last(p, 40, 20));
    arena.check();
    void* const next = arena.allocate(1, 1);
    EXPECT_FALSE(arena.resize_last(p, 20, 40));
    EXPECT_FALSE(arena.resize_last(next, 1, SIZE_MAX));
    ASSERT_TRUE(arena.resize_last(next, 1, 0));
    ASSERT_TRUE(arena.resize_last(p, 20, 60));
    EXPECT_EQ(p[0], 'x');
    EXPECT_EQ(p[19], 'x');
    arena.deallocate(p, 60, 8);
    arena.expect_all_freed();
}

#ifdef __cpp_exceptions

TEST_F(checked_calls, are_as_before_where_the_mechanism_fails) {
    pool_type pool(source_);
    source_.fail({.at = 1});
    EXPECT_THROW(static_cast<void>(pool.allocate(100, 8)), std::bad_alloc);
    pool.expect_all_freed();
    void* const p = pool.allocate(100, 8);
    pool.deallocate(p, 100, 8);
    pool.expect_all_freed();
}

#endif

} // namespace

#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

/// Counts its locks, and knows if it is locked now.
class counting_mutex {
public:
    void lock() {
        ASSERT_FALSE(locked);
        locked = true;
        ++times;
    }
    void unlock() { locked = false; }
    bool try_lock() { return !locked; }

    static inline bool locked = false;
    static inline int times = 0;
};

/// An upstream that is only to be used under the lock.
struct locked_source : equipment::ledger {
    void* allocate(std::size_t bytes, std::size_t alignment) {
        EXPECT_TRUE(counting_mutex::locked);
        return ledger::allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        EXPECT_TRUE(counting_mutex::locked);
        ledger::deallocate(p, bytes, alignment);
    }
};

class synchronized : public ::testing::Test {
protected:
    synchronized() { counting_mutex::times = 0; }
    ~synchronized() override { EXPECT_FALSE(counting_mutex::locked); }

    template <class A>
    using under_counting_mutex = mallard::synchronized<A, counting_mutex>;

    locked_source source_;
};

TEST_F(synchronized, forwards_fixed_pool_operations_under_lock) {
    under_counting_mutex<mallard::fixed_pool<mallard::growing_arena<locked_source>>> pool(source_);
    void* const p = pool.try_allocate(24, 8);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(counting_mutex::times, 1);
    EXPECT_TRUE(pool.owns(p));
    EXPECT_FALSE(pool.owns(&pool));
    EXPECT_EQ(counting_mutex::times, 3);
    EXPECT_EQ(pool.try_allocate(100, 8), nullptr) << "larger than the first request";
    pool.deallocate(p, 24, 8);
    using upstream = under_counting_mutex<mallard::new_delete>;
    EXPECT_FALSE(mallard::bind::checks_ownership<upstream>) << "which the upstream inside does not";
    pool.release();
}

TEST_F(synchronized, holds_the_lock_in_every_operation_once) {
    under_counting_mutex<mallard::multipool<locked_source>> pool(source_);
    void* const p = pool.allocate(100, 8);
    EXPECT_EQ(counting_mutex::times, 1);
    void* const large = pool.allocate(100000, 8);
    pool.deallocate(large, 100000, 8);
    pool.deallocate(p, 100, 8);
    EXPECT_EQ(counting_mutex::times, 4);
    EXPECT_EQ(pool.stats().chunks, 1U);
    EXPECT_EQ(counting_mutex::times, 5);
    pool.release();
    EXPECT_EQ(counting_mutex::times, 6);
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(synchronized, locks_rewind_and_rollback) {
    under_counting_mutex<mallard::monotonic<locked_source>> arena(source_);
    EXPECT_TRUE(mallard::rewindable<decltype(arena)>);
    const auto mark = arena.mark();
    void* const p = arena.allocate(100, 8);
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(100, 8), p);
    arena.rewind();
    EXPECT_EQ(arena.allocate(100, 8), p);
    EXPECT_EQ(counting_mutex::times, 6);
    arena.release();
}

TEST_F(synchronized, meets_concepts_of_mechanism) {
    using pool_type = mallard::synchronized<mallard::multipool<>>;
    EXPECT_TRUE(mallard::local_allocator<pool_type>);
    EXPECT_FALSE(mallard::rewindable<pool_type>);
    EXPECT_TRUE(mallard::upstream<mallard::synchronized<mallard::buffer>>);
    EXPECT_FALSE(mallard::local_allocator<mallard::synchronized<mallard::buffer>>);
}

TEST_F(synchronized, lets_blocks_change_their_size_under_the_lock) {
    under_counting_mutex<equipment::plots> blocks;
    EXPECT_TRUE(mallard::expandable<decltype(blocks)>);
    EXPECT_TRUE(mallard::local_allocator<decltype(blocks)>);
    const mallard::sized_block block = blocks.allocate_at_least(20, 8);
    EXPECT_EQ(blocks.usable_bytes(block.p), block.bytes);
    EXPECT_EQ(blocks.expand(block.p, {.least_bytes = 100, .preferred_bytes = 100}).p, block.p);
    EXPECT_EQ(blocks.try_expand(block.p, {.least_bytes = 200, .preferred_bytes = 200}).p, block.p);
    EXPECT_EQ(blocks.shrink(block.p, 50), 64U);
    EXPECT_EQ(counting_mutex::times, 5);
    blocks.deallocate(block.p, 50, 8);
    EXPECT_EQ(counting_mutex::times, 6);
}

TEST_F(synchronized, locks_once_for_a_burst) {
    under_counting_mutex<mallard::multipool<locked_source>> pool(source_);
    EXPECT_TRUE(mallard::burst_allocator<decltype(pool)>);
    mallard::block_chain blocks = pool.allocate_many(24, 8, 100);
    EXPECT_EQ(counting_mutex::times, 1);
    EXPECT_EQ(blocks.size(), 100U);
    pool.deallocate_many(std::move(blocks), 24, 8);
    EXPECT_EQ(counting_mutex::times, 2);
    pool.release();
}

TEST_F(synchronized, forwards_all_heap_operations) {
    under_counting_mutex<mallard::heap<locked_source>> h(source_);
    EXPECT_TRUE(mallard::local_allocator<decltype(h)>);
    EXPECT_TRUE(mallard::expandable<decltype(h)>);
    EXPECT_TRUE(mallard::mixed_burst_allocator<decltype(h)>);
    const std::size_t sizes[] = {8, 600, 300};
    mallard::block_chain blocks = h.allocate_many(sizes);
    EXPECT_EQ(h.use().used_blocks, 3U);
    h.deallocate_many(std::move(blocks));
    EXPECT_TRUE(h.check_sanity().sound());
    const mallard::sized_block block = h.try_allocate_at_least(100, 8);
    EXPECT_GE(block.bytes, 100U);
    std::size_t in_use = 0;
    h.for_each_block([&in_use](const mallard::heap_block_info& b) { in_use += b.in_use ? 1U : 0U; });
    EXPECT_EQ(in_use, 1U);
    h.deallocate(block.p, 100, 8);
    EXPECT_EQ(counting_mutex::times, 7);
    h.trim();
    EXPECT_EQ(h.stats().chunks, 0U);
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(counting_mutex::times, 9);
}

#ifdef __cpp_exceptions

TEST_F(synchronized, is_unlocked_where_the_mechanism_fails) {
    under_counting_mutex<mallard::multipool<locked_source>> pool(source_);
    source_.fail({.at = 1, .for_ever = true});
    EXPECT_THROW(static_cast<void>(pool.allocate(100, 8)), std::bad_alloc);
    EXPECT_FALSE(counting_mutex::locked);
    source_.fail({.at = 0});
    void* const p = pool.allocate(100, 8);
    pool.deallocate(p, 100, 8);
    pool.release();
}

#endif

} // namespace

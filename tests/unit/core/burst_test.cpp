#include "equipment/ledger.hpp"

#include <mallard/adapt/synchronized.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <set>
#include <utility>

namespace {

using mallard::allocate_many;
using mallard::deallocate_many;

/// Counts the requested bursts; the blocks are the ledger's.
struct bursting : equipment::ledger {
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        ++bursts;
        return mallard::core::allocate_one_by_one(static_cast<equipment::ledger&>(*this), bytes, alignment,
                                                  count);
    }
    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        ++bursts;
        mallard::deallocate_many(static_cast<equipment::ledger&>(*this), std::move(blocks), bytes, alignment);
    }
    int bursts = 0;
};

TEST(burst, asks_an_allocator_without_bursts_block_by_block) {
    equipment::ledger source;
    mallard::block_chain blocks = allocate_many(source, 24, 8, 10);
    EXPECT_EQ(blocks.size(), 10U);
    EXPECT_EQ(source.granted().size(), 10U);
    EXPECT_EQ(source.granted()[9], (equipment::ledger::request{24, 8}));
    void* const alone = blocks.pop_front();
    deallocate_many(source, std::move(blocks), 24, 8);
    EXPECT_EQ(source.outstanding(), 1U);
    source.deallocate(alone, 24, 8);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(burst, delegates_to_burst_allocators) {
    EXPECT_TRUE(mallard::burst_allocator<bursting>);
    EXPECT_FALSE(mallard::burst_allocator<equipment::ledger>);
    bursting source;
    mallard::block_chain blocks = allocate_many(source, 16, 16, 3);
    EXPECT_EQ(blocks.size(), 3U);
    deallocate_many(source, std::move(blocks), 16, 16);
    EXPECT_EQ(source.bursts, 2);
    EXPECT_EQ(source.outstanding(), 0U);
}

#ifdef __cpp_exceptions

TEST(burst, failure_rolls_monotonic_back) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(source);
    static_cast<void>(arena.allocate(24, 8));
    const auto mark = arena.mark();
    source.fail({.at = 1, .for_ever = true});
    EXPECT_THROW(static_cast<void>(allocate_many(arena, 24, 8, 1000)), std::bad_alloc);
    source.fail({.at = 0});
    EXPECT_EQ(arena.mark().cursor, mark.cursor) << "what it gives no block back of, it goes back to";
    EXPECT_EQ(allocate_many(arena, 24, 8, 1000).size(), 1000U);
}

/// Other threads may have allocated since.
TEST(burst, failure_keeps_blocks_of_concurrent_users) {
    using shared_type = mallard::synchronized<mallard::monotonic<equipment::ledger>>;
    equipment::ledger source;
    shared_type arena(source);
    source.fail({.at = 2, .for_ever = true});
    EXPECT_THROW(static_cast<void>(allocate_many(arena, 24, 8, 1000)), std::bad_alloc);
    EXPECT_NE(arena.mark().top, nullptr) << "nothing was rolled back";
}

#endif

} // namespace

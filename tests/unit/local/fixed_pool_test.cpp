#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/fixed_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using pool_type = mallard::fixed_pool<mallard::growing_arena<equipment::ledger>>;
using mallard::block_size;

std::byte* as_bytes(void* p) {
    return static_cast<std::byte*>(p);
}

class fixed_pool : public equipment::on_ledger {
protected:
    pool_type pool_{source_};
};

// ---- the size of the blocks

TEST_F(fixed_pool, first_request_fixes_block_size) {
    EXPECT_EQ(pool_.block_bytes(), 0U);
    EXPECT_EQ(pool_.capacity(), 0U);
    void* const p = pool_.allocate(24, 8);
    EXPECT_EQ(pool_.block_bytes(), 24U);
    EXPECT_EQ(pool_.allocate(24, 8), as_bytes(p) + 24) << "nothing lies between two blocks";
}

TEST_F(fixed_pool, smaller_request_gets_full_block) {
    void* const p = pool_.allocate(24, 8);
    EXPECT_EQ(pool_.allocate(1, 1), as_bytes(p) + 24);
    EXPECT_EQ(pool_.allocate(0, 1), as_bytes(p) + 48);
    pool_.deallocate(p, 24, 8);
    EXPECT_EQ(pool_.allocate(17, 4), p);
}

TEST_F(fixed_pool, allocate_block_needs_no_size) {
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>> sized(block_size{20, 4}, source_);
    EXPECT_EQ(sized.block_alignment(), 4U);
    void* const p = sized.allocate_block();
    EXPECT_EQ(sized.allocate_block(), as_bytes(p) + 20);
    sized.deallocate_block(p);
    EXPECT_EQ(sized.allocate(12, 4), p) << "they are the same blocks";
    sized.deallocate(p, 12, 4);
    EXPECT_EQ(sized.allocate_block(), p);
    sized.release();
}

TEST_F(fixed_pool, refuses_a_larger_request_and_a_stricter_alignment) {
    void* const p = pool_.allocate(24, 8);
    for (const std::size_t bytes : {std::size_t{25}, std::size_t{4096}, SIZE_MAX}) {
        EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(bytes, 8))) << bytes;
    }
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(8, 16)));
    EXPECT_EQ(source_.granted().size(), 1U) << "without a request to the upstream";
    EXPECT_EQ(pool_.allocate(24, 8), as_bytes(p) + 24);
}

TEST_F(fixed_pool, constructor_fixes_block_size) {
    pool_type pool(block_size{.bytes = 40}, source_);
    EXPECT_EQ(pool.block_bytes(), 40U);
    void* const p = pool.allocate(8, 8);
    EXPECT_EQ(pool.allocate(40, 8), as_bytes(p) + 40);
    pool.release();
    EXPECT_EQ(pool.block_bytes(), 40U) << "a release does not change what the constructor said";
}

TEST_F(fixed_pool, rounds_size_for_link_and_alignment) {
    struct size_case {
        block_size size;
        std::size_t block_bytes;
        std::size_t alignment;
    };
    for (const size_case& a :
         {size_case{{0, 1}, 8, 8}, size_case{{1, 1}, 8, 8}, size_case{{9, 1}, 12, 4},
          size_case{{12, 4}, 12, 4}, size_case{{20, 4}, 20, 4}, size_case{{20, 8}, 24, 8},
          size_case{{24, 8}, 24, 8}, size_case{{32, 1}, 32, 16}, size_case{{40, 64}, 64, 64}}) {
        pool_type pool(a.size, source_);
        EXPECT_EQ(pool.block_bytes(), a.block_bytes);
        for (int i = 0; i < 40; ++i) {
            EXPECT_TRUE(mallard::core::is_aligned(pool.allocate(a.size.bytes, a.alignment), a.alignment));
        }
        EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(1, 2 * a.alignment)));
    }
}

struct alignas(32) wide {
    std::byte bytes[96];
};

TEST_F(fixed_pool, fixed_pool_for_fits_type) {
    mallard::fixed_pool_for<wide, mallard::growing_arena<equipment::ledger>> pool(source_);
    EXPECT_EQ(pool.block_bytes(), 96U);
    EXPECT_TRUE(mallard::core::is_aligned(pool.allocate(sizeof(wide), alignof(wide)), 32));
    EXPECT_TRUE(mallard::core::is_aligned(pool.allocate(sizeof(wide), alignof(wide)), 32));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(97, 8)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(8, 64)));
    pool.release();
    EXPECT_EQ(pool.block_bytes(), 96U) << "a release does not change the size in the type";
    EXPECT_NE(pool.allocate(1, 1), nullptr);
}

TEST_F(fixed_pool, refuses_sizes_that_no_block_can_have) {
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(SIZE_MAX, 8)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(most_bytes + 1, 8)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(8, 2 * most_bytes)));
    EXPECT_EQ(pool_.block_bytes(), 0U) << "what failed has fixed nothing";
}

TEST_F(fixed_pool, try_allocate_returns_null_on_refusal) {
    void* const p = pool_.try_allocate(24, 8);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(pool_.try_allocate(25, 8), nullptr);
    EXPECT_EQ(pool_.try_allocate(24, 16), nullptr);
    EXPECT_EQ(pool_.try_allocate(20, 8), as_bytes(p) + 24);
    mallard::fixed_pool<mallard::static_arena<24>> single;
    EXPECT_EQ(single.try_allocate(25, 8), nullptr);
    EXPECT_NE(single.try_allocate(24, 8), nullptr);
    EXPECT_EQ(single.try_allocate(24, 8), nullptr);
}

TEST_F(fixed_pool, capacity_counts_blocks_at_any_alignment) {
    EXPECT_EQ(pool_.capacity(), 0U) << "nothing has fixed the size";
    for (const std::size_t alignment : {1U, 2U, 8U, 64U}) {
        mallard::fixed_pool<mallard::growing_arena<equipment::ledger>> pool(
            mallard::block_size{.bytes = 24, .alignment = alignment}, source_);
        EXPECT_EQ(pool.capacity(), 0U) << alignment;
        static_cast<void>(pool.allocate(24, alignment));
        EXPECT_GE(pool.capacity(), 1U) << alignment;
    }
    mallard::fixed_pool<mallard::static_arena<1024>> in_an_array;
    EXPECT_EQ(in_an_array.capacity(), 0U) << "nothing has fixed the size";
    static_cast<void>(in_an_array.allocate(24, 8));
    EXPECT_GE(in_an_array.capacity(), 40U);
}

// ---- free blocks

TEST_F(fixed_pool, reuses_blocks_in_configured_order) {
    using arena = mallard::growing_arena<equipment::ledger>;
    mallard::fixed_pool<arena, mallard::last_freed> last(source_);
    const auto reuse = [](auto& pool) {
        std::array<void*, 4> blocks{};
        std::ranges::generate(blocks, [&] { return pool.allocate(24, 8); });
        for (void* p : blocks) {
            pool.deallocate(p, 24, 8);
        }
        // With first_freed, the first two keep the addresses of the others.
        return pool.allocate(24, 8) == blocks[2] ? "first" : "last";
    };
    EXPECT_STREQ(reuse(pool_), "first") << "the default";
    EXPECT_STREQ(reuse(last), "last");
}

TEST_F(fixed_pool, tells_whether_a_block_is_free) {
    EXPECT_TRUE(pool_.empty()) << "without a request to the arena";
    std::vector<void*> blocks{pool_.allocate(24, 8)};
    EXPECT_FALSE(pool_.empty());
    while (!pool_.empty()) {
        blocks.push_back(pool_.allocate(24, 8));
    }
    EXPECT_EQ(blocks.size(), pool_.capacity());
    EXPECT_EQ(pool_.stats().chunks, 1U);
    pool_.deallocate(blocks.back(), 24, 8);
    EXPECT_FALSE(pool_.empty());
}

TEST_F(fixed_pool, release_restores_initial_state) {
    void* const p = pool_.allocate(24, 8);
    pool_.deallocate(p, 24, 8);
    pool_.release();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(pool_.block_bytes(), 0U);
    EXPECT_TRUE(pool_.empty());
    static_cast<void>(pool_.allocate(100, 8));
    EXPECT_EQ(pool_.block_bytes(), 104U) << "the next request fixes the size anew";
}

TEST_F(fixed_pool, chunk_overhead_is_only_header) {
    for (int i = 0; i < 100'000; ++i) {
        static_cast<void>(pool_.allocate(24, 8));
    }
    const mallard::allocator_stats stats = pool_.stats();
    EXPECT_LE(stats.chunk_bytes - pool_.capacity() * 24, stats.chunks * (16 + 23));
    EXPECT_LE(stats.chunk_bytes, 2 * 100'000U * 24 + 256) << "the bound that local/arenas.hpp states";
}

// ---- bursts

TEST_F(fixed_pool, gives_a_burst_of_blocks_side_by_side) {
    mallard::block_chain blocks = pool_.allocate_many(24, 8, 1000);
    EXPECT_EQ(blocks.size(), 1000U);
    EXPECT_EQ(source_.granted().size(), 1U);
    const std::byte* last = nullptr;
    while (void* p = blocks.pop_front()) {
        EXPECT_TRUE(last == nullptr || as_bytes(p) == last + 24);
        last = as_bytes(p);
    }
}

TEST_F(fixed_pool, refuses_burst_of_oversized_blocks) {
    static_cast<void>(pool_.allocate(24, 8));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate_many(32, 8, 3)));
    EXPECT_TRUE(pool_.allocate_many(32, 8, 0).empty());
}

#ifdef __cpp_exceptions
#ifdef __cpp_exceptions

TEST_F(fixed_pool, failed_first_burst_fixes_no_size) {
    for (const std::size_t at : {1U, 2U, 3U}) {
        source_.fail({.at = at, .for_ever = true});
        EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate_many(std::size_t{1} << 20, 8, 100)));
        ASSERT_TRUE(source_.failed());
        EXPECT_EQ(pool_.block_bytes(), 0U) << "request " << at;
        EXPECT_EQ(source_.outstanding(), 0U) << "request " << at;
    }
    source_.fail({.at = 0});
    static_cast<void>(pool_.allocate(24, 8));
    EXPECT_EQ(pool_.block_bytes(), 24U);
    source_.fail({.at = 1, .for_ever = true});
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate_many(24, 8, 10'000)));
    EXPECT_EQ(pool_.block_bytes(), 24U) << "another request has fixed it";
}

TEST(fixed_pool_in_an_array, failed_first_burst_fixes_no_size) {
    mallard::fixed_pool<mallard::static_arena<1024>> pool;
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate_many(64, 8, 100)));
    EXPECT_EQ(pool.block_bytes(), 0U);
    static_cast<void>(pool.allocate(1024, 16));
}

#endif

int failures_heard = 0;

void hear_failure(std::size_t, std::size_t) noexcept {
    ++failures_heard;
}

TEST(fixed_pool_that_is_asked_for_null, does_not_tell_the_handler) {
    const auto previous = mallard::set_out_of_memory_handler(hear_failure);
    mallard::fixed_pool<mallard::single_arena<>> pool(SIZE_MAX / 8);
    EXPECT_EQ(pool.try_allocate(24, 8), nullptr);
    EXPECT_EQ(failures_heard, 0);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(24, 8)));
    EXPECT_EQ(failures_heard, 1);
    mallard::set_out_of_memory_handler(previous);
}
#endif

} // namespace

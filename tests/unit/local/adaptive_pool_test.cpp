#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <class Pool>
class adaptive_pool : public equipment::on_ledger {
protected:
    std::vector<void*> allocate(std::size_t n) {
        std::vector<void*> all(n);
        std::generate(all.begin(), all.end(), [this] { return pool_.allocate(24, 8); });
        return all;
    }

    void deallocate(const std::vector<void*>& all) {
        for (void* p : all) {
            pool_.deallocate(p, 24, 8);
        }
    }

    Pool pool_{source_};
};

using by_default = mallard::adaptive_pool<equipment::ledger>;
using undivided = mallard::adaptive_pool<equipment::ledger, mallard::slab_shape::undivided>;

/// Gives each slab back as soon as it is empty.
struct eager : by_default {
    template <class... Args>
    explicit eager(Args&&... args)
        : by_default(std::forward<Args>(args)...,
                     {.nodes_a_slab = 16, .most_free_slabs = 0, .overhead_percent = 20}) {}
};

using pools = ::testing::Types<by_default, undivided, eager>;
TYPED_TEST_SUITE(adaptive_pool, pools);

TYPED_TEST(adaptive_pool, first_request_fixes_node_size) {
    EXPECT_EQ(this->pool_.node_bytes(), 0U);
    EXPECT_EQ(this->pool_.block_bytes(), 0U);
    void* const p = this->pool_.allocate(20, 8);
    EXPECT_EQ(this->pool_.node_bytes(), 24U);
    void* const smaller = this->pool_.allocate(3, 1);
    EXPECT_EQ(this->source_.outstanding(), 1U);
    void* const larger = this->pool_.allocate(25, 8);
    void* const stricter = this->pool_.allocate(24, 16);
    EXPECT_EQ(this->pool_.stats().large_blocks, 2U);
    EXPECT_TRUE(mallard::core::is_aligned(stricter, 16));
    this->pool_.deallocate(larger, 25, 8);
    this->pool_.deallocate(stricter, 24, 16);
    this->pool_.deallocate(smaller, 3, 1);
    this->pool_.deallocate(p, 20, 8);
    this->pool_.release();
    EXPECT_EQ(this->pool_.node_bytes(), 0U) << "as new";
}

TYPED_TEST(adaptive_pool, counts_each_call_upstream_for_a_larger_block) {
    this->deallocate(this->allocate(1));
    const std::size_t granted = this->source_.granted().size();
    void* const larger = this->pool_.allocate(100, 8);
    void* const tried = this->pool_.try_allocate(100, 8);
    EXPECT_EQ(this->source_.granted().size(), granted + 2);
    EXPECT_EQ(this->pool_.stats().upstream_calls, granted + 2);
    EXPECT_EQ(this->pool_.try_allocate(SIZE_MAX / 2, 8), nullptr);
    EXPECT_EQ(this->pool_.stats().upstream_calls, granted + 2) << "nothing was granted";
    this->pool_.deallocate(tried, 100, 8);
    this->pool_.deallocate(larger, 100, 8);
}

TYPED_TEST(adaptive_pool, empty_burst_fixes_no_size) {
    EXPECT_TRUE(this->pool_.allocate_many(24, 8, 0).empty());
    EXPECT_EQ(this->pool_.node_bytes(), 0U);
    EXPECT_TRUE(this->source_.granted().empty());
}

TYPED_TEST(adaptive_pool, erasing_all_respects_free_slab_limit) {
    std::mt19937 order(1);
    const std::size_t most = std::is_same_v<TypeParam, eager> ? 0U : 2U;
    for (int round = 0; round < 4; ++round) {
        std::vector<void*> all = this->allocate(20'000);
        EXPECT_EQ(std::set<void*>(all.begin(), all.end()).size(), all.size());
        if (round % 2 == 1) {
            std::shuffle(all.begin(), all.end(), order);
        }
        this->deallocate(all);
        EXPECT_LE(this->source_.outstanding_bytes(), most * this->pool_.block_bytes()) << "round " << round;
    }
    this->pool_.trim();
    EXPECT_EQ(this->source_.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TYPED_TEST(adaptive_pool, failed_request_keeps_state) {
    this->source_.fail({.at = 1});
    EXPECT_THROW(static_cast<void>(this->pool_.allocate(24, 8)), std::bad_alloc);
    EXPECT_EQ(this->pool_.node_bytes(), 0U) << "the size is not fixed by a request that failed";
    this->source_.fail({.at = 3, .for_ever = true});
    EXPECT_THROW(static_cast<void>(this->pool_.allocate_many(24, 8, 1'000'000)), std::bad_alloc);
    EXPECT_EQ(this->source_.outstanding(), 0U);
    EXPECT_EQ(this->pool_.node_bytes(), 0U);
    this->source_.fail({.at = 0});
    this->deallocate(this->allocate(100));
}
#endif

using default_pool = adaptive_pool<by_default>;

TEST_F(default_pool, takes_little_more_than_the_nodes) {
    const std::size_t n = 300'000;
    this->allocate(n);
    const std::size_t largest_chunk = std::size_t{256} << 10;
    EXPECT_LE(source_.outstanding_bytes(), n * 24 * 102 / 100 + largest_chunk);
    EXPECT_EQ(pool_.stats().chunk_bytes, source_.outstanding_bytes());
    EXPECT_EQ(pool_.stats().upstream_calls, source_.granted().size());
}

struct held_bytes {
    std::size_t when_full;
    std::size_t at_the_end;
};

/// Most nodes go, and a sixth comes and goes many times: it gathers in the blocks that are fullest.
template <class Pool>
held_bytes replace_most(Pool& pool) {
    std::vector<void*> all(60'000);
    std::generate(all.begin(), all.end(), [&pool] { return pool.allocate(24, 8); });
    std::shuffle(all.begin(), all.end(), std::mt19937(1));
    const std::size_t when_full = pool.stats().chunk_bytes;
    std::mt19937 random(2);
    while (all.size() > 10'000) {
        pool.deallocate(all.back(), 24, 8);
        all.pop_back();
    }
    for (int i = 0; i < 400'000; ++i) {
        // Two at a time, because a node that replaces the one just freed takes its place.
        const std::size_t at = random() % all.size();
        void*& one = all[at];
        void*& next = all[(at + 1) % all.size()];
        pool.deallocate(one, 24, 8);
        pool.deallocate(next, 24, 8);
        one = pool.allocate(24, 8);
        next = pool.allocate(24, 8);
    }
    const std::size_t at_the_end = pool.stats().chunk_bytes;
    for (void* p : all) {
        pool.deallocate(p, 24, 8);
    }
    return {when_full, at_the_end};
}

TEST_F(default_pool, prefers_fuller_slabs) {
    // Slabs that are about equally full are filled in the order of their addresses, so the part that stays depends on
    // the chunk that lies lowest: a third to 69 hundredths, over 3,000 orders of the chunks.
    const held_bytes held = replace_most(pool_);
    EXPECT_LT(held.at_the_end, held.when_full * 3 / 4) << "before, each chunk had some";
}

TEST(adaptive_pool_over_one_buffer, fills_the_lower_of_equally_full_blocks) {
    // The chunks lie in the order in which they were taken, wherever the buffer is.
    std::vector<std::byte> buffer(std::size_t{16} << 20);
    mallard::monotonic<> arena{std::span(buffer)};
    mallard::adaptive_pool<mallard::monotonic<>> pool(arena);
    const held_bytes held = replace_most(pool);
    EXPECT_LT(held.at_the_end, held.when_full * 2 / 3);
}

TEST(adaptive_pool_of_a_size, release_keeps_node_size) {
    mallard::adaptive_pool<> pool(mallard::block_size{40, 8});
    EXPECT_EQ(pool.node_bytes(), 40U);
    pool.deallocate(pool.allocate(8, 8), 8, 8);
    pool.release();
    EXPECT_EQ(pool.node_bytes(), 40U);
    EXPECT_GE(pool.block_bytes(), 40U * 256);
    EXPECT_EQ(pool.stats().chunks, 0U);
}

TEST(adaptive_pool_of_a_size, refuses_sizes_that_no_node_can_have) {
    constexpr std::size_t most = mallard::adaptive_pool<>::largest_node_bytes;
    for (const mallard::block_size size :
         {mallard::block_size{most + 1, 8}, mallard::block_size{8, 2 * most}, mallard::block_size{8, 3},
          mallard::block_size{8, 0}, mallard::block_size{8, std::size_t{1} << 63}}) {
        SCOPED_TRACE(::testing::Message() << size.bytes << " at " << size.alignment);
#ifdef __cpp_exceptions
        EXPECT_THROW(static_cast<void>(mallard::adaptive_pool<>(size)), std::bad_alloc);
#else
        EXPECT_DEATH(static_cast<void>(mallard::adaptive_pool<>(size)), "is refused");
#endif
    }
}

TEST(adaptive_pool_of_a_size, leaves_large_first_requests_to_the_upstream) {
    equipment::ledger source;
    mallard::adaptive_pool pool(source);
    pool.deallocate(pool.allocate(2000, 8), 2000, 8);
    void* const aligned = pool.allocate(8, 4096);
    EXPECT_EQ(pool.node_bytes(), 0U);
    void* const node = pool.allocate(1000, 8);
    EXPECT_EQ(pool.node_bytes(), 1000U);
    pool.deallocate(aligned, 8, 4096);
    pool.deallocate(node, 1000, 8);
}

/// The place of a slab's metadata depends on its address. In slabs of a few nodes they can take all room that the header
/// of the chunk leaves.
TEST(adaptive_pool_of_small_blocks, first_slab_of_chunk_has_nodes) {
    struct pool_type
        : mallard::unchecked::adaptive_pool<mallard::chunk_cache, mallard::slab_shape::undivided> {
        pool_type() : adaptive_pool({.nodes_a_slab = 1, .most_free_slabs = 0}) {}
    };
    for (std::size_t bytes = 8; bytes <= 1024; bytes += 4) {
        std::array<pool_type, 8> several;
        for (pool_type& pool : several) {
            std::array<void*, 20> nodes{};
            for (void*& node : nodes) {
                node = pool.allocate(bytes, 4);
                ASSERT_NE(node, nullptr) << bytes;
            }
            for (void* node : nodes) {
                pool.deallocate(node, bytes, 4);
            }
            pool.trim();
            ASSERT_EQ(pool.stats().chunks, 0U) << bytes;
            static_cast<void>(pool.allocate(bytes, 4)); // the next pool's chunks lie elsewhere
        }
    }
}

} // namespace

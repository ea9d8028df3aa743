#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/local/small_object_pool.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <utility>
#include <vector>

namespace {

using mallard::local::small_classes;

TEST(small_classes, are_four_bytes_apart_but_for_the_smallest) {
    for (std::size_t bytes = 1; bytes <= 64; ++bytes) {
        const std::size_t expected = bytes <= 2 ? bytes : mallard::core::align_up(bytes, 4);
        EXPECT_EQ(small_classes::bytes(small_classes::index(bytes, 1)), expected);
    }
    EXPECT_EQ(small_classes::index(0, 1), 0U);
    EXPECT_EQ(small_classes::bytes(small_classes::count - 1), 64U);
}

TEST(small_classes, honour_requested_alignment) {
    for (std::size_t bytes = 0; bytes <= 64; ++bytes) {
        for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
            const std::size_t class_bytes = small_classes::bytes(small_classes::index(bytes, alignment));
            EXPECT_GE(class_bytes, bytes);
            EXPECT_EQ(class_bytes % alignment, 0U);
        }
    }
    EXPECT_EQ(small_classes::index(65, 1), small_classes::count);
    EXPECT_EQ(small_classes::index(1, 128), small_classes::count);
    EXPECT_EQ(small_classes::index(SIZE_MAX, 8), small_classes::count);
}

/// Blocks of 4 KiB, so that there are many of them.
class small_object_pool : public equipment::on_ledger {
protected:
    using pool_type = mallard::small_object_pool<equipment::ledger>;

    std::vector<void*> allocate(std::size_t n, std::size_t bytes, std::size_t alignment = 1) {
        std::vector<void*> all(n);
        std::generate(all.begin(), all.end(), [&] { return pool_.allocate(bytes, alignment); });
        return all;
    }

    void deallocate(const std::vector<void*>& all, std::size_t bytes, std::size_t alignment = 1) {
        for (void* p : all) {
            pool_.deallocate(p, bytes, alignment);
        }
    }

    pool_type pool_{source_, {.slab_bytes = 4096, .first_chunk_bytes = 4096}};
};

TEST_F(small_object_pool, takes_little_more_than_the_objects) {
    pool_type pool(source_);
    for (const std::size_t bytes : {1U, 4U, 8U, 16U, 20U, 32U, 64U}) {
        const std::size_t n = 400'000;
        const std::size_t old_bytes = source_.outstanding_bytes();
        for (std::size_t i = 0; i != n; ++i) {
            static_cast<void>(pool.allocate(bytes, 1));
        }
        const std::size_t grown = source_.outstanding_bytes() - old_bytes;
        const std::size_t chunk = std::size_t{2} << 20;
        EXPECT_LE(grown, n * bytes * 103 / 100 + n / 8 + chunk) << bytes;
    }
}

TEST_F(small_object_pool, returns_memory_for_any_free_order) {
    std::mt19937 order(1);
    for (const std::size_t bytes : {1U, 4U, 10U, 16U, 50U, 64U}) {
        std::vector<void*> all = allocate(20'000, bytes);
        EXPECT_GE(source_.outstanding_bytes(), 20'000 * bytes);
        std::shuffle(all.begin(), all.end(), order);
        deallocate(all, bytes);
        EXPECT_LE(source_.outstanding_bytes(), 6U * 4096) << "a chunk of the first size for each size so far";
    }
    pool_.trim();
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(small_object_pool, reuses_last_freed_then_lowest_slot) {
    std::vector<void*> all = allocate(300, 12, 4); // of one block
    std::mt19937 order(1);
    std::shuffle(all.begin(), all.end(), order);
    std::vector<void*> freed(all.begin(), all.begin() + 100);
    deallocate(freed, 12, 4);
    EXPECT_EQ(pool_.allocate(12, 4), freed.back());
    freed.pop_back();
    std::sort(freed.begin(), freed.end());
    EXPECT_EQ(allocate(99, 12, 4), freed);
}

TEST_F(small_object_pool, last_freed_slot_pins_one_chunk) {
    const std::vector<void*> all = allocate(20'000, 16);
    const std::vector<void*> others(all.begin() + 1, all.end());
    deallocate(others, 16);
    const std::size_t held = source_.outstanding_bytes();
    pool_.trim();
    EXPECT_LT(source_.outstanding_bytes(), held) << "of the place freed last";
    EXPECT_EQ(source_.outstanding(), 1U) << "of the object in use";
    pool_.deallocate(all.front(), 16, 1);
    EXPECT_LE(source_.outstanding_bytes(), 4096U) << "no object is in use";
}

TEST_F(small_object_pool, reuses_larger_blocks_by_size_class) {
    void* const larger = pool_.allocate(65, 8);
    void* const aligned = pool_.allocate(8, 128);
    EXPECT_TRUE(mallard::core::is_aligned(aligned, 128));
    EXPECT_EQ(pool_.stats().large_blocks, 0U);
    const std::size_t calls = source_.granted().size();
    pool_.deallocate(larger, 65, 8);
    pool_.deallocate(aligned, 8, 128);
    EXPECT_EQ(pool_.allocate(72, 8), larger);
    EXPECT_EQ(pool_.allocate(1, 128), aligned);
    EXPECT_EQ(source_.granted().size(), calls);
}

TEST_F(small_object_pool, trim_returns_larger_blocks_once_all_are_free) {
    void* const first = pool_.allocate(100, 8);
    mallard::block_chain others = pool_.allocate_many(100, 8, 50);
    pool_.deallocate_many(std::move(others), 100, 8);
    pool_.trim();
    EXPECT_NE(source_.outstanding(), 0U) << "a block is in use";
    pool_.deallocate(first, 100, 8);
    pool_.trim();
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(small_object_pool, forwards_unpooled_objects_upstream) {
    const std::size_t bytes = pool_.largest_pooled_bytes() + 1;
    void* const large = pool_.allocate(bytes, 8);
    EXPECT_EQ(source_.outstanding(), 1U);
    EXPECT_EQ(pool_.stats().large_blocks, 1U);
    EXPECT_EQ(pool_.stats().chunks, 0U);
    pool_.deallocate(large, bytes, 8);
    EXPECT_EQ(source_.outstanding(), 0U);
}

/// A pool that lives briefly takes the chunks that the last one returned.
TEST(small_object_pool_over_the_chunk_cache, needs_no_system_call_after_the_first_life) {
    mallard::chunk_cache::trim();
    std::size_t waiting_bytes = 0;
    for (int life = 0; life != 3; ++life) {
        mallard::small_object_pool<> pool;
        for (const std::size_t bytes : {1U, 24U, 64U}) {
            static_cast<void>(pool.allocate(bytes, 1));
        }
        EXPECT_EQ(pool.stats().chunk_bytes, 3U * 64 * 1024);
        const mallard::chunk_cache_stats cached = mallard::chunk_cache::stats();
        EXPECT_EQ(cached.thread_bytes + cached.shared_bytes, 0U) << "all that waited is in use";
        pool.release();
        waiting_bytes = mallard::chunk_cache::stats().thread_bytes;
        EXPECT_EQ(waiting_bytes, 3U * 64 * 1024);
    }
    mallard::chunk_cache::trim();
}

/// Where their bits take much of a block, blocks are large enough for bits in pages of their own.
TEST(small_object_pool_with_bits, has_large_blocks_for_the_smallest_objects) {
    constexpr std::size_t kibibyte = 1024;
    for (std::size_t index = 0; index != small_classes::count; ++index) {
        const std::size_t bytes = small_classes::bytes(index);
        equipment::ledger source;
        mallard::small_object_pool<equipment::ledger> pool(source);
        static_cast<void>(pool.allocate(bytes, 1));
        const std::size_t expected = bytes >= 4 && bytes <= 20
                                         ? std::min(std::bit_ceil(bytes) * 32 * kibibyte, 512 * kibibyte)
                                         : 64 * kibibyte;
        ASSERT_EQ(source.granted().size(), 1U);
        EXPECT_EQ(source.granted()[0].alignment, expected) << "objects of " << bytes << " bytes";
    }
}

TEST(small_object_pool_over_the_chunk_cache, offers_freed_chunks_to_system) {
    mallard::chunk_cache::trim();
    {
        mallard::small_object_pool<> pool;
        std::vector<void*> all(400'000);
        for (void*& p : all) {
            p = pool.allocate(16, 16);
        }
        std::shuffle(all.begin(), all.end(), std::mt19937(1));
        for (void* p : all) {
            pool.deallocate(p, 16, 16);
        }
        const mallard::chunk_cache_stats waiting = mallard::chunk_cache::stats();
        if (mallard::pages::has_huge_pages()) {
            EXPECT_GE(waiting.offered_bytes, 4U << 20);
            EXPECT_LE(waiting.thread_bytes + waiting.shared_bytes - waiting.offered_bytes +
                          pool.stats().chunk_bytes,
                      2U << 20);
        } else { // or not known, as in a container without /sys
            EXPECT_EQ(waiting.offered_bytes, 0U);
        }
    }
    mallard::chunk_cache::trim();
}

} // namespace

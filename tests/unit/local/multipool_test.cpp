#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using pool_type = mallard::multipool<equipment::ledger>;

class multipool : public equipment::on_ledger {
protected:
    pool_type pool_{source_};
};

std::byte* as_bytes(void* p) {
    return static_cast<std::byte*>(p);
}

// ---- blocks and their reuse

TEST_F(multipool, carves_blocks_of_all_sizes_from_one_chunk) {
    std::byte* const a = as_bytes(pool_.allocate(24, 8));
    EXPECT_EQ(as_bytes(pool_.allocate(24, 8)), a + 24);
    static_cast<void>(pool_.allocate(40, 8));
    EXPECT_EQ(source_.granted().size(), 1U);
}

TEST_F(multipool, allocate_at_least_gives_the_whole_class) {
    mallard::multipool<equipment::ledger, mallard::last_freed> pool(source_);
    for (const std::size_t alignment : {1U, 8U, 16U, 32U, 256U}) {
        for (std::size_t bytes = 1; bytes != 700; ++bytes) {
            const auto [p, all_bytes] = pool.allocate_at_least(bytes, alignment);
            ASSERT_GE(all_bytes, bytes);
            pool.deallocate(p, bytes, alignment);
            ASSERT_EQ(pool.allocate(all_bytes, alignment), p) << bytes << " at " << alignment;
            pool.deallocate(p, all_bytes, alignment);
            void* const of_next_class = pool.allocate(all_bytes + 1, alignment);
            ASSERT_NE(of_next_class, p) << bytes << " at " << alignment;
            pool.deallocate(of_next_class, all_bytes + 1, alignment);
        }
    }
    pool.release();
}

TEST_F(multipool, reuses_blocks_in_configured_order) {
    mallard::multipool<equipment::ledger, mallard::last_freed> last(source_);
    mallard::multipool<equipment::ledger, mallard::first_freed> first(source_);
    const auto reuse = [](auto& pool) {
        std::array<void*, 4> blocks{};
        std::ranges::generate(blocks, [&] { return pool.allocate(24, 8); });
        for (void* p : blocks) {
            pool.deallocate(p, 24, 8);
        }
        // The first two keep the addresses of the others.
        return pool.allocate(24, 8) == blocks[2] ? "first" : "last";
    };
    EXPECT_STREQ(reuse(last), "last");
    EXPECT_STREQ(reuse(first), "first");
    EXPECT_STREQ(reuse(pool_), "first") << "the default";
}

// ---- chunks

TEST_F(multipool, first_chunk_fits_first_request) {
    static_cast<void>(pool_.allocate(24, 8));
    ASSERT_EQ(source_.granted().size(), 1U);
    EXPECT_EQ(source_.granted()[0].bytes, 256U) << "there may be a million pools of one node";
    pool_.release();
    static_cast<void>(pool_.allocate(1000, 8));
    EXPECT_LE(source_.granted().back().bytes, 1040U) << "1000 bytes and the rounding to their class";
}

TEST_F(multipool, grows_geometrically_up_to_the_cap) {
    pool_type pool(source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 1024, .factor = 2}});
    for (int i = 0; i < 300; ++i) {
        static_cast<void>(pool.allocate(24, 8));
    }
    ASSERT_GT(source_.granted().size(), 6U);
    for (std::size_t i = 0; i < source_.granted().size(); ++i) {
        EXPECT_EQ(source_.granted()[i].bytes, std::min<std::size_t>(64U << i, 1024U));
    }
}

TEST_F(multipool, default_chunks_quadruple_and_double) {
    constexpr std::array<std::size_t, 8> expected{256, 1024, 4096, 8192, 16384, 16384, 32768, 32768};
    while (source_.granted().size() < expected.size()) {
        static_cast<void>(pool_.allocate(24, 8));
    }
    for (std::size_t i = 0; i != expected.size(); ++i) {
        EXPECT_EQ(source_.granted()[i].bytes, expected[i]) << i;
    }
}

TEST_F(multipool, donates_tail_of_chunk) {
    static_cast<void>(pool_.allocate(8, 8));
    std::byte* const p = as_bytes(pool_.allocate(24, 8)); // behind a table of 80 bytes
    static_cast<void>(pool_.allocate(400, 8));
    EXPECT_EQ(source_.granted().size(), 2U);
    // The rest of the first chunk is 128 bytes, and the largest class of the table 64.
    EXPECT_EQ(pool_.allocate(64, 8), p + 24 + 64);
    EXPECT_EQ(pool_.allocate(64, 8), p + 24);
    EXPECT_EQ(pool_.allocate(72, 8), p - 80) << "of the former table, which lies at no multiple of 16";
}

// ---- large blocks

TEST_F(multipool, pools_at_least_32_kib_by_default) {
    EXPECT_GE(pool_.largest_pooled_bytes(), 32U << 10);
    void* const p = pool_.allocate(32 << 10, 8);
    pool_.deallocate(p, 32 << 10, 8);
    EXPECT_EQ(pool_.allocate(32 << 10, 8), p);
    EXPECT_EQ(pool_.stats().large_blocks, 0U);
}

TEST_F(multipool, sends_larger_requests_upstream_and_remembers_them) {
    void* const p = pool_.allocate((32 << 10) + 1, 8);
    EXPECT_EQ(pool_.stats().large_blocks, 1U);
    EXPECT_GE(pool_.stats().large_bytes, (32U << 10) + 1);
    pool_.deallocate(p, (32 << 10) + 1, 8);
    EXPECT_EQ(source_.outstanding(), 0U) << "such a block goes back at once";

    static_cast<void>(pool_.allocate(100000, 8));
    static_cast<void>(pool_.allocate(200000, 8));
    pool_.release();
    EXPECT_EQ(source_.outstanding(), 0U) << "and at the latest on release";
}

TEST_F(multipool, largest_pooled_size_rounds_up_to_class) {
    for (const std::size_t largest_request : {8U, 9U, 100U, 129U, 1000U, 5000U, 1U << 20}) {
        pool_type pool(source_, {.largest_pooled_bytes = largest_request});
        const std::size_t largest = pool.largest_pooled_bytes();
        EXPECT_GE(largest, largest_request);
        EXPECT_LE(largest, largest_request + largest_request / 8 + 8);
        static_cast<void>(pool.allocate(largest, 8));
        EXPECT_EQ(pool.stats().large_blocks, 0U);
        static_cast<void>(pool.allocate(largest + 1, 8));
        EXPECT_EQ(pool.stats().large_blocks, 1U);
    }
}

// ---- over-aligned blocks

#ifdef __cpp_exceptions // without exceptions the program aborts instead
TEST_F(multipool, over_aligned_failure_names_requested_size) {
    static std::size_t passed_bytes = 0;
    static std::size_t passed_alignment = 0;
    mallard::set_out_of_memory_handler([](std::size_t bytes, std::size_t alignment) noexcept {
        passed_bytes = bytes;
        passed_alignment = alignment;
    });
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_.allocate(SIZE_MAX - 100, 64)));
    mallard::set_out_of_memory_handler(nullptr);
    EXPECT_EQ(passed_bytes, SIZE_MAX - 100);
    EXPECT_EQ(passed_alignment, 64U);
}
#endif

// ---- bursts

TEST_F(multipool, burst_blocks_are_adjacent) {
    mallard::block_chain blocks = pool_.allocate_many(24, 8, 1000);
    EXPECT_EQ(blocks.size(), 1000U);
    EXPECT_EQ(source_.granted().size(), 1U);
    EXPECT_LE(source_.outstanding_bytes(), 32'768U) << "a chunk for all of them";
    const std::byte* last = nullptr;
    while (void* p = blocks.pop_front()) {
        EXPECT_TRUE(last == nullptr || as_bytes(p) == last + 24);
        last = as_bytes(p);
    }
}

TEST_F(multipool, gives_freed_blocks_to_a_burst_first) {
    std::set<void*> freed;
    for (int i = 0; i < 5; ++i) {
        freed.insert(pool_.allocate(24, 8));
    }
    for (void* p : freed) {
        pool_.deallocate(p, 24, 8);
    }
    mallard::block_chain blocks = pool_.allocate_many(20, 4, 8);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(freed.erase(blocks.pop_front()), 1U);
    }
    EXPECT_EQ(blocks.size(), 3U);
}

TEST_F(multipool, burst_chunks_respect_largest_size) {
    pool_type pool(source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 4096}});
    mallard::block_chain blocks = pool.allocate_many(24, 8, 1000);
    EXPECT_EQ(blocks.size(), 1000U);
    for (const equipment::ledger::request& r : source_.granted()) {
        EXPECT_LE(r.bytes, 4096U);
    }
    EXPECT_LE(source_.granted().size(), 7U);
}

// ---- size classes

TEST_F(multipool, rounds_to_configured_size_classes) {
    mallard::fast_fit<equipment::ledger> pool(source_);
    EXPECT_EQ(pool.largest_pooled_bytes(), 32U << 10);
    void* const p = pool.allocate(33, 8);
    pool.deallocate(p, 33, 8);
    EXPECT_EQ(pool.allocate(64, 16), p) << "33 to 64 bytes are one class";
    static_cast<void>(pool.allocate((32 << 10) + 1, 8));
    EXPECT_EQ(pool.stats().large_blocks, 1U);
}

// ---- size and construction

TEST(multipool_construction, is_small_and_asks_for_nothing) {
    EXPECT_LE(sizeof(mallard::multipool<>), 40U);
    equipment::ledger source;
    {
        const pool_type pool(source);
        EXPECT_EQ(pool.stats().chunks, 0U);
    }
    EXPECT_TRUE(source.granted().empty());
}

// ---- tidying

constexpr std::size_t mixed_sizes[] = {24, 40, 128, 256, 32, 1000};
constexpr std::size_t sizes_with_words[] = {8, 24, 8, 16, 200, 32};

/// A pool whose blocks of mixed sizes were freed in no order, except for some.
template <class Order>
class fragmented_pool {
public:
    explicit fragmented_pool(std::span<const std::size_t> sizes = mixed_sizes) {
        for (std::size_t i = 0; i != 4000; ++i) {
            const std::size_t bytes = sizes[next() % sizes.size()];
            blocks_.emplace_back(allocate(bytes), bytes);
        }
        for (std::size_t i = blocks_.size() - 1; i != 0; --i) {
            std::swap(blocks_[i], blocks_[next() % (i + 1)]);
        }
    }

    /// Effects: frees all blocks but `count`.
    void keep(std::size_t count) {
        for (; blocks_.size() > count; blocks_.pop_back()) {
            pool.deallocate(blocks_.back().first, blocks_.back().second, 8);
        }
    }

    std::byte* allocate(std::size_t bytes) {
        std::byte* const p = as_bytes(pool.allocate(bytes, 8));
        std::memset(p, static_cast<int>(bytes % 251), bytes);
        return p;
    }

    void expect_contents() const {
        for (const auto& [p, bytes] : blocks_) {
            EXPECT_EQ(std::to_integer<std::size_t>(p[0]), bytes % 251);
            EXPECT_EQ(std::to_integer<std::size_t>(p[bytes - 1]), bytes % 251);
        }
    }

    mallard::multipool<equipment::ledger, Order> pool{source};
    static inline equipment::ledger source;

private:
    std::uint32_t next() noexcept { return (seed_ = seed_ * 1664525 + 1013904223) >> 8; }

    std::uint32_t seed_ = 1;
    std::vector<std::pair<std::byte*, std::size_t>> blocks_;
};

template <class Order>
class tidy : public ::testing::Test {};

struct order_names {
    template <class Order>
    static std::string GetName(int) {
        return std::is_same_v<Order, mallard::hybrid_order>  ? "hybrid_order"
               : std::is_same_v<Order, mallard::first_freed> ? "first_freed"
                                                             : "last_freed";
    }
};
using orders = ::testing::Types<mallard::hybrid_order, mallard::first_freed, mallard::last_freed>;
TYPED_TEST_SUITE(tidy, orders, order_names);

TYPED_TEST(tidy, returns_chunks_without_a_block_in_use) {
    fragmented_pool<TypeParam> fragmented;
    const std::size_t peak_bytes = fragmented.pool.stats().chunk_bytes;
    fragmented.keep(2);
    fragmented.pool.tidy();
    EXPECT_LE(fragmented.pool.stats().chunks, 5U) << "those of the blocks and of the tables";
    EXPECT_LT(fragmented.pool.stats().chunk_bytes, peak_bytes);
    fragmented.expect_contents();
    fragmented.keep(0);
    fragmented.pool.tidy();
    EXPECT_LE(fragmented.pool.stats().chunk_bytes, 16U << 10) << "the tables alone";
    EXPECT_EQ(fragmented.source.complaints(), equipment::no_complaints);
}

TYPED_TEST(tidy, returns_all_chunks_of_one_size) {
    mallard::multipool<equipment::ledger, TypeParam> pool(fragmented_pool<TypeParam>::source);
    for (const std::size_t bytes : {24U, 32U, 128U, 4096U}) {
        std::vector<void*> blocks(3000);
        std::ranges::generate(blocks, [&] { return pool.allocate(bytes, 8); });
        std::ranges::reverse(blocks);
        std::ranges::for_each(blocks, [&](void* p) { pool.deallocate(p, bytes, 8); });
        pool.tidy();
        EXPECT_EQ(pool.stats().chunks, 0U) << bytes;
        static_cast<void>(pool.allocate(bytes, 8));
        EXPECT_LE(pool.stats().chunk_bytes, std::max<std::size_t>(256, 2 * bytes)) << "begins again";
        pool.release();
    }
}

TYPED_TEST(tidy, reuses_blocks_of_one_size_in_the_order_of_addresses) {
    mallard::multipool<equipment::ledger, TypeParam> pool(fragmented_pool<TypeParam>::source);
    std::vector<std::byte*> blocks(100);
    std::ranges::generate(blocks, [&] { return as_bytes(pool.allocate(40, 8)); });
    std::vector<std::byte*> freed;
    for (std::size_t i = 0; i != 50; ++i) {
        freed.push_back(blocks[i * 37 % 50 * 2]);
        pool.deallocate(freed.back(), 40, 8);
    }
    pool.tidy();
    std::vector<std::byte*> reused(freed.size());
    std::ranges::generate(reused, [&] { return as_bytes(pool.allocate(40, 8)); });
    // An unrolled queue takes its head and its first page last (reuse/first_freed.hpp).
    EXPECT_TRUE(std::is_sorted(reused.begin(), reused.end() - 2));
    std::ranges::sort(freed);
    std::ranges::sort(reused);
    EXPECT_EQ(reused, freed);
}

/// A pool of 24 and 40 bytes with lists for all sizes, whose room is used up.
template <class Order>
class pool_without_room {
public:
    pool_without_room() {
        static_cast<void>(allocate(pool.largest_pooled_bytes())); // of the first table, too
        while (blocks_.empty() || pool.bytes_left() >= 24) {
            const std::size_t bytes = pool.bytes_left() < 40 || blocks_.size() % 2 == 0 ? 24 : 40;
            blocks_.emplace_back(allocate(bytes), bytes);
        }
    }

    std::byte* allocate(std::size_t bytes) { return as_bytes(pool.allocate(bytes, 8)); }
    std::byte* block(std::size_t number) const { return blocks_[number].first; }
    void free(std::size_t number) { pool.deallocate(block(number), blocks_[number].second, 8); }

    static inline equipment::ledger source;
    mallard::multipool<equipment::ledger, Order> pool{
        source, {.growth = {.first_chunk_bytes = std::size_t{256} << 10}}};

private:
    std::vector<std::pair<std::byte*, std::size_t>> blocks_;
};

TYPED_TEST(tidy, cuts_blocks_of_any_size_from_merged_ones) {
    pool_without_room<TypeParam> full;
    for (const std::size_t number : {1502U, 1500U, 1501U, 1503U}) { // 24 + 40 + 24 + 40 bytes
        full.free(number);
    }
    const std::size_t chunks = full.pool.stats().chunks;
    full.pool.tidy();
    EXPECT_EQ(full.allocate(72), full.block(1500)) << "larger than any of them";
    EXPECT_EQ(full.allocate(24), full.block(1500) + 72) << "right behind it";
    EXPECT_EQ(full.allocate(32), full.block(1500) + 96);
    EXPECT_EQ(full.pool.stats().chunks, chunks);
}

TYPED_TEST(tidy, merges_with_what_an_earlier_call_set_aside) {
    pool_without_room<TypeParam> full;
    full.free(1000);
    full.free(1003);
    full.pool.tidy();
    full.free(1002);
    full.free(1001);
    full.pool.tidy();
    EXPECT_EQ(full.allocate(120), full.block(1000));
}

TYPED_TEST(tidy, merges_around_blocks_of_8_bytes) {
    pool_without_room<TypeParam> full;
    static_cast<void>(full.allocate(8)); // the end of the chunk, or a new one
    for (const std::size_t number : {501U, 500U, 1000U, 1001U}) {
        full.free(number);
    }
    full.pool.tidy();
    EXPECT_EQ(full.allocate(64), full.block(500)) << "larger than either of both";
    EXPECT_EQ(full.allocate(64), full.block(1000));
}

TYPED_TEST(tidy, merges_blocks_of_8_bytes) {
    mallard::multipool<equipment::ledger, TypeParam> pool(fragmented_pool<TypeParam>::source);
    static_cast<void>(pool.allocate(pool.largest_pooled_bytes(), 8)); // of the first table, too
    std::vector<std::byte*> blocks;
    while (blocks.empty() || pool.bytes_left() >= 32) {
        blocks.push_back(as_bytes(pool.allocate(blocks.size() % 2 == 0 ? 24 : 8, 8)));
    }
    static_cast<void>(pool.allocate(pool.bytes_left(), 8));
    for (const std::size_t number : {12U, 11U, 10U, 21U, 31U}) { // 24 + 8 + 24 bytes, and 8 twice
        pool.deallocate(blocks[number], number % 2 == 0 ? 24 : 8, 8);
    }
    pool.tidy();
    EXPECT_EQ(pool.allocate(8, 8), blocks[12] + 16) << "behind a room that ends at a multiple of 16";
    EXPECT_EQ(pool.allocate(8, 8), blocks[21]) << "between blocks in use";
    EXPECT_EQ(pool.allocate(8, 8), blocks[31]);
    EXPECT_EQ(pool.allocate(40, 8), blocks[10]);
}

TYPED_TEST(tidy, serves_bursts_from_what_it_set_aside) {
    pool_without_room<TypeParam> full;
    std::vector<std::byte*> expected;
    for (std::size_t number = 500; number != 700; number += 2) {
        full.free(number);
        expected.push_back(full.block(number));
    }
    full.pool.tidy();
    mallard::block_chain chain = full.pool.allocate_many(24, 8, expected.size());
    std::vector<std::byte*> taken;
    while (!chain.empty()) {
        taken.push_back(as_bytes(chain.pop_front()));
    }
    std::ranges::sort(taken);
    EXPECT_EQ(taken, expected);
}

TYPED_TEST(tidy, serves_from_what_it_kept) {
    for (const std::span<const std::size_t> sizes : {std::span(mixed_sizes), std::span(sizes_with_words)}) {
        fragmented_pool<TypeParam> fragmented(sizes);
        fragmented.keep(2000);
        fragmented.pool.tidy();
        fragmented.expect_contents();
        std::vector<std::pair<std::byte*, std::size_t>> more;
        for (std::size_t i = 0; i != 6000; ++i) {
            const std::size_t bytes = sizes[i % sizes.size()];
            more.emplace_back(fragmented.allocate(bytes), bytes);
        }
        fragmented.expect_contents();
        for (const auto& [p, bytes] : more) {
            EXPECT_EQ(std::to_integer<std::size_t>(p[bytes - 1]), bytes % 251);
            fragmented.pool.deallocate(p, bytes, 8);
        }
        fragmented.pool.tidy();
        fragmented.expect_contents();
    }
}

TYPED_TEST(tidy, returns_chunks_whose_merged_blocks_were_used) {
    fragmented_pool<TypeParam> fragmented;
    for (const std::size_t kept : {3000U, 2000U, 1000U}) {
        fragmented.keep(kept);
        fragmented.pool.tidy();
        std::vector<std::pair<std::byte*, std::size_t>> more;
        for (std::size_t i = 0; i != 3000; ++i) {
            const std::size_t bytes = mixed_sizes[i * 7 % std::size(mixed_sizes)];
            more.emplace_back(fragmented.allocate(bytes), bytes);
        }
        for (const auto& [p, bytes] : more) {
            fragmented.pool.deallocate(p, bytes, 8);
        }
    }
    fragmented.expect_contents();
    fragmented.keep(0);
    fragmented.pool.tidy();
    EXPECT_LE(fragmented.pool.stats().chunk_bytes, 16U << 10) << "the tables alone";
}

TYPED_TEST(tidy, keeps_blocks_of_8_bytes) {
    mallard::multipool<equipment::ledger, TypeParam> pool(fragmented_pool<TypeParam>::source);
    std::vector<std::byte*> words;
    std::vector<void*> nodes;
    for (int i = 0; i != 1000; ++i) {
        nodes.push_back(pool.allocate(24, 8));
        words.push_back(as_bytes(pool.allocate(8, 8)));
        std::memset(words.back(), 7, 8);
    }
    for (void* p : nodes) {
        pool.deallocate(p, 24, 8);
    }
    pool.tidy();
    for (std::byte* const p : words) {
        ASSERT_TRUE(pool.owns(p));
        EXPECT_EQ(p[7], std::byte{7});
    }
}

TYPED_TEST(tidy, discards_the_unused_end_of_the_newest_chunk) {
    using ends = std::vector<equipment::discarding_ledger::part>;
    equipment::discarding_ledger source;
    mallard::multipool<equipment::discarding_ledger, TypeParam> pool(source);
    static_cast<void>(pool.allocate(72, 8));
    do {
        static_cast<void>(pool.allocate(40, 8));
    } while (pool.bytes_left() < 40);
    pool.tidy();
    const std::size_t left = pool.bytes_left();
    EXPECT_EQ(source.discarded(), (ends{{pool.allocate(40, 8), left}})) << "the next block is cut from it";
}

TYPED_TEST(tidy, has_no_effect_on_an_empty_pool) {
    mallard::multipool<equipment::ledger, TypeParam> pool(fragmented_pool<TypeParam>::source);
    pool.tidy();
    EXPECT_EQ(pool.stats().chunks, 0U);
    void* const p = pool.allocate(24, 8);
    pool.tidy();
    EXPECT_EQ(as_bytes(pool.allocate(24, 8)), as_bytes(p) + 24) << "the room is the same";
    void* const large = pool.allocate(100'000, 64);
    pool.tidy();
    EXPECT_TRUE(pool.owns(large));
    pool.deallocate(large, 100'000, 64);
    EXPECT_EQ(pool.stats().large_blocks, 0U);
}

} // namespace

#include "equipment/heaps.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/heap.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

namespace {

using equipment::ledger;
using mallard::expansion;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

class heap : public equipment::on_ledger {
protected:
    ~heap() override { EXPECT_EQ(equipment::find_defect(heap_), ""); }

    mallard::heap<ledger> heap_{source_};
};

static_assert(mallard::local_allocator<mallard::heap<ledger>>);
static_assert(mallard::burst_allocator<mallard::heap<mallard::pages>>);

TEST_F(heap, takes_chunks_that_grow) {
    for (int i = 0; i < 20000; ++i) {
        static_cast<void>(heap_.allocate(100));
    }
    const auto& granted = source_.granted();
    ASSERT_GE(granted.size(), 3U);
    EXPECT_LE(granted.size(), 12U);
    EXPECT_LE(granted[0].bytes, 8 * kib);
    EXPECT_GT(granted[1].bytes, granted[0].bytes);
    EXPECT_EQ(heap_.stats().chunks, granted.size());
    EXPECT_EQ(heap_.stats().chunk_bytes, source_.outstanding_bytes());
    EXPECT_EQ(heap_.use().held_bytes, source_.outstanding_bytes());
}

TEST_F(heap, bursts_take_no_chunk_above_the_limit) {
    mallard::heap<ledger> limited(source_,
                                  {.growth = {.first_chunk_bytes = 512, .largest_chunk_bytes = 2048}});
    EXPECT_EQ(limited.allocate_many(104, 8, 5000).size(), 5000U);
    for (const ledger::request& request : source_.granted()) {
        EXPECT_LE(request.bytes, 2048U);
    }
    EXPECT_LE(limited.stats().chunk_bytes, 5000U * 112 * 11 / 10) << "chunks are used to their ends";
    limited.release();
    // A block that is larger than a chunk may be has a chunk of its own.
    mallard::heap<ledger> tiny(source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 64}});
    EXPECT_EQ(tiny.allocate_many(200, 8, 3).size(), 3U);
    EXPECT_EQ(tiny.stats().chunks, 3U);
    tiny.release();
}

TEST_F(heap, overhead_is_one_word_per_block) {
    constexpr std::size_t blocks = 100'000;
    for (std::size_t i = 0; i < blocks; ++i) {
        static_cast<void>(heap_.allocate(24));
    }
    const std::size_t in_use = source_.outstanding_bytes() - heap_.use().free_bytes;
    EXPECT_LE(in_use, blocks * (24 + 8) + 64 * heap_.stats().chunks);
}

/// Fills, fragments, frees everything: each chunk is one free block then.
TEST_F(heap, freeing_all_merges_chunks) {
    std::mt19937_64 random(5);
    const auto size = [&] { return random() % (random() % 10 == 0 ? 20000 : 500); };
    std::vector<void*> live;
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 3000; ++i) {
            live.push_back(heap_.allocate(size(), std::size_t{1} << random() % 8));
        }
        for (int i = 0; i < 3000; ++i) {
            std::swap(live[random() % live.size()], live.back());
            heap_.deallocate(live.back());
            live.pop_back();
            std::swap(live[random() % live.size()], live.back());
            const auto grown = heap_.expand(live.back(), {.least_bytes = 600, .preferred_bytes = 700});
            if (grown.method == expansion::fresh) {
                heap_.deallocate(live.back());
            }
            live.back() = grown.p;
            live.push_back(heap_.allocate(size()));
        }
        ASSERT_EQ(equipment::find_defect(heap_), "");
        EXPECT_GT(heap_.use().free_blocks, 100U) << "it was fragmented";
        std::shuffle(live.begin(), live.end(), random);
        for (void* p : live) {
            heap_.deallocate(p);
        }
        live.clear();
        ASSERT_EQ(equipment::find_defect(heap_), "");
        EXPECT_EQ(heap_.use().used_blocks, 0U);
        heap_.settle();
        ASSERT_EQ(equipment::find_defect(heap_), "");
        EXPECT_EQ(heap_.use().free_blocks, heap_.stats().chunks);
    }
    heap_.trim();
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(heap, tidy_hands_out_blocks_in_the_order_of_addresses) {
    mallard::heap<ledger> one_chunk(source_, {.growth = {.first_chunk_bytes = 2 * mib}});
    std::vector<void*> blocks;
    for (int i = 0; i != 1000; ++i) {
        blocks.push_back(one_chunk.allocate(i % 2 == 0 ? 40 : 1000));
    }
    std::vector<void*> holes; // of two blocks each
    for (std::size_t i = 0; i != 100; ++i) {
        const std::size_t first = i * 37 % 100 * 4;
        holes.push_back(blocks[first]);
        one_chunk.deallocate(blocks[first]);
        one_chunk.deallocate(blocks[first + 1]);
    }
    ASSERT_FALSE(std::ranges::is_sorted(holes));
    one_chunk.tidy();
    EXPECT_EQ(equipment::find_defect(one_chunk), "");
    std::ranges::sort(holes);
    std::vector<void*> reused(holes.size());
    std::ranges::generate(reused, [&] { return one_chunk.allocate(1040); });
    EXPECT_EQ(reused, holes);
    EXPECT_EQ(equipment::find_defect(one_chunk), "");
}

TEST_F(heap, tidy_returns_empty_chunks) {
    std::vector<void*> blocks;
    for (int i = 0; i < 5000; ++i) {
        blocks.push_back(heap_.allocate(200));
    }
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        heap_.deallocate(blocks[i]);
    }
    heap_.tidy();
    EXPECT_EQ(source_.outstanding(), 1U);
    heap_.deallocate(blocks[0]);
    heap_.tidy();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_NE(heap_.allocate(200), nullptr);
}

#ifdef __cpp_exceptions

/// Each call over an upstream that gives nothing: it reports the failure, changes nothing and loses nothing.
TEST_F(heap, upstream_failure_keeps_state) {
    auto* const p = static_cast<std::byte*>(heap_.allocate(100));
    void* const behind = heap_.allocate(100);
    std::memset(p, 'x', 100);
    const std::array<std::size_t, 3> sizes{16, 100 * kib, 16};
    const auto fails = [&](auto call) {
        source_.fail({.at = 1, .for_ever = true});
        heap_.settle();
        const mallard::heap_use old_use = heap_.use();
        EXPECT_TRUE(call());
        EXPECT_TRUE(source_.failed());
        heap_.settle();
        EXPECT_EQ(equipment::find_defect(heap_), "");
        EXPECT_EQ(heap_.use().used_blocks, old_use.used_blocks);
        EXPECT_EQ(heap_.use().used_bytes, old_use.used_bytes);
        EXPECT_EQ(heap_.use().free_bytes, old_use.free_bytes);
        EXPECT_EQ(p[99], std::byte{'x'});
        source_.fail({.at = 0});
    };
    const auto throws = [&](auto call) {
        fails([&] {
            try {
                call();
                return false;
            } catch (const std::bad_alloc&) {
                return true;
            }
        });
    };
    const mallard::expansion_request request{.least_bytes = 100 * kib, .preferred_bytes = 200 * kib};
    throws([&] { static_cast<void>(heap_.allocate(100 * kib)); });
    throws([&] { static_cast<void>(heap_.allocate(8 * kib, 4096)); });
    throws([&] { static_cast<void>(heap_.allocate_at_least(100 * kib)); });
    throws([&] { static_cast<void>(heap_.allocate_many(1000, 16, 100)); });
    throws([&] { static_cast<void>(heap_.allocate_many(sizes)); });
    throws([&] { static_cast<void>(heap_.expand(p, request)); });
    fails([&] { return heap_.try_allocate(100 * kib) == nullptr; });
    fails([&] { return heap_.try_allocate_at_least(100 * kib).p == nullptr; });
    fails([&] { return heap_.try_expand(p, request).p == nullptr; });
    heap_.deallocate(behind);
    EXPECT_NE(heap_.expand(p, request).p, nullptr);
}

TEST_F(heap, falls_back_to_chunk_of_request) {
    static_cast<void>(heap_.allocate(100));
    source_.fail({.at = 1});
    EXPECT_NE(heap_.allocate(5 * kib), nullptr);
    EXPECT_TRUE(source_.failed());
    EXPECT_LT(source_.granted().back().bytes, 6 * kib);
}

TEST_F(heap, grants_less_than_preferred_when_upstream_is_short) {
    const auto fresh = heap_.expand(
        nullptr,
        {.least_bytes = 100, .preferred_bytes = 2 * ledger::most_bytes, .allowed = expansion::fresh});
    EXPECT_GE(fresh.bytes, 100U);
}

#endif

template <class Upstream>
struct over {
    Upstream source{};
    mallard::heap<Upstream> heap{source};
};

template <class Environment>
class heap_over_the_system : public ::testing::Test {
protected:
    ~heap_over_the_system() override { EXPECT_EQ(equipment::find_defect(heap_), ""); }

    Environment environment_{};
    decltype(Environment::heap)& heap_ = environment_.heap;
};

using system_heaps = ::testing::Types<over<mallard::chunk_cache>, over<mallard::pages>>;
TYPED_TEST_SUITE(heap_over_the_system, system_heaps);

TYPED_TEST(heap_over_the_system, grows_large_blocks_where_they_are) {
    const auto first = this->heap_.allocate_at_least(300 * kib);
    auto* const p = static_cast<std::byte*>(first.p);
    void* const second = this->heap_.allocate(300 * kib);
    std::size_t bytes = first.bytes;
    std::memset(p, 'x', bytes);
    for (std::size_t wanted = 400 * kib; wanted < 64 * mib; wanted *= 2) {
        const auto grown = this->heap_.expand(
            p, {.least_bytes = wanted, .preferred_bytes = wanted, .allowed = expansion::forward});
        ASSERT_EQ(grown.p, p) << wanted;
        EXPECT_EQ(grown.method, expansion::forward);
        EXPECT_GE(grown.bytes, wanted);
        std::memset(p + bytes, 'x', grown.bytes - bytes);
        bytes = grown.bytes;
    }
    EXPECT_EQ(std::count(p, p + bytes, std::byte{'x'}), static_cast<std::ptrdiff_t>(bytes));
    this->heap_.deallocate(p);
    this->heap_.deallocate(second);
    EXPECT_EQ(this->heap_.use().used_blocks, 0U);
    EXPECT_EQ(this->heap_.stats().large_blocks, 0U);
}

TYPED_TEST(heap_over_the_system, grows_large_blocks_as_far_as_is_preferred) {
    const auto first = this->heap_.allocate_at_least(300 * kib);
    const auto grown = this->heap_.expand(
        first.p,
        {.least_bytes = 100 * kib, .preferred_bytes = 8 * mib, .allowed = expansion::forward_or_fresh});
    EXPECT_EQ(grown.p, first.p);
    EXPECT_EQ(grown.method, expansion::forward);
    EXPECT_GE(grown.bytes, 8 * mib);
    std::memset(grown.p, 'x', grown.bytes);
}

TYPED_TEST(heap_over_the_system, gives_memory_back_where_large_blocks_shrink) {
    auto* const p = static_cast<std::byte*>(this->heap_.allocate(32 * mib));
    std::memset(p, 'x', 32 * mib);
    const std::size_t old_held_bytes = this->heap_.use().held_bytes;
    const std::size_t remaining = this->heap_.shrink(p, mib);
    EXPECT_GE(remaining, mib);
    EXPECT_LE(this->heap_.use().held_bytes, old_held_bytes - 28 * mib);
    EXPECT_EQ(p[mib - 1], std::byte{'x'});
    EXPECT_EQ(this->heap_.usable_bytes(p), remaining);
    this->heap_.deallocate(p);
}

TYPED_TEST(heap_over_the_system, knows_the_bytes_before_a_large_block_shrinks) {
    std::size_t unchanged = 0;
    for (const std::size_t bytes : {300 * kib + 5, mib + 1, 3 * mib + 4093}) {
        void* const p = this->heap_.allocate(bytes, 8);
        for (const std::size_t wanted : {bytes, bytes - 1, bytes - 5000, bytes - bytes / 4, std::size_t{1}}) {
            const std::size_t usable = this->heap_.usable_bytes(p);
            const std::size_t expected = this->heap_.shrunk_bytes(p, wanted);
            EXPECT_EQ(this->heap_.usable_bytes(p), usable);
            EXPECT_EQ(this->heap_.shrink(p, wanted), expected) << bytes << " to " << wanted;
            unchanged += expected == usable ? 1 : 0;
        }
        this->heap_.deallocate(p);
    }
    EXPECT_GT(unchanged, 3U) << "the rest is less than an eighth";
}

TYPED_TEST(heap_over_the_system, serves_large_blocks_at_every_alignment) {
    std::vector<void*> all;
    for (std::size_t alignment = 1; alignment <= 4 * mib; alignment *= 4) {
        all.push_back(this->heap_.allocate(300 * kib, alignment));
        EXPECT_TRUE(mallard::core::is_aligned(all.back(), alignment)) << alignment;
        std::memset(all.back(), 1, 300 * kib);
    }
    for (void* p : all) {
        this->heap_.deallocate(p);
    }
    EXPECT_EQ(this->heap_.use().used_blocks, 0U);
}

TYPED_TEST(heap_over_the_system, takes_large_blocks_back_in_a_chain) {
    mallard::block_chain blocks;
    for (int i = 0; i < 20; ++i) {
        blocks.push_back(this->heap_.allocate(i % 3 == 0 ? mib : 100));
    }
    this->heap_.deallocate_many(std::move(blocks));
    EXPECT_EQ(this->heap_.use().used_blocks, 0U);
    blocks = this->heap_.allocate_many(300 * kib, 16, 5);
    EXPECT_EQ(blocks.size(), 5U);
    this->heap_.deallocate_many(std::move(blocks));
    EXPECT_EQ(this->heap_.stats().large_blocks, 0U);
}

} // namespace

#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/run_in_threads.hpp"

#include <mallard/local/concurrent_monotonic.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using arena_type = mallard::concurrent_monotonic<equipment::ledger>;

class concurrent_monotonic : public equipment::on_ledger {
protected:
    arena_type arena_{source_, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 1024}}};
};

std::byte* as_bytes(void* p) {
    return static_cast<std::byte*>(p);
}

static_assert(mallard::thread_safe<mallard::concurrent_monotonic<>>);
static_assert(mallard::local_allocator<arena_type> && mallard::nothrow_upstream<arena_type>);
static_assert(!std::is_copy_constructible_v<arena_type>);

// ---- blocks

TEST_F(concurrent_monotonic, blocks_are_adjacent) {
    std::byte* const a = as_bytes(arena_.allocate(8, 8));
    EXPECT_EQ(arena_.allocate(13, 8), a + 8);
    EXPECT_EQ(arena_.allocate(0, 1), a + 24) << "rounded up to a multiple of 8";
    EXPECT_EQ(arena_.allocate(8, 4), a + 32) << "no bytes are a block of one";
    EXPECT_EQ(source_.granted().size(), 1U);
}

// ---- chunks

TEST_F(concurrent_monotonic, asks_for_nothing_until_its_first_request) {
    EXPECT_EQ(source_.granted().size(), 0U);
    static_cast<void>(arena_.allocate(1));
    EXPECT_EQ(source_.granted()[0].bytes, 256U);
    arena_.release();
    EXPECT_EQ(source_.outstanding(), 0U);
    static_cast<void>(arena_.allocate(1));
    EXPECT_EQ(source_.granted()[1].bytes, 256U) << "as it began";
}

TEST_F(concurrent_monotonic, default_chunks_begin_at_a_page) {
    arena_type arena(source_);
    static_cast<void>(arena.allocate(1));
    EXPECT_EQ(source_.granted()[0].bytes, 4096U);
}

TEST_F(concurrent_monotonic, grows_up_to_the_cap_without_large_rests) {
    std::size_t requested = 0;
    for (std::size_t i = 0; i != 1000; ++i) {
        static_cast<void>(arena_.allocate(40, 8));
        requested += 40;
    }
    const auto& taken = source_.granted();
    EXPECT_EQ(taken[0].bytes, 256U);
    EXPECT_TRUE(std::ranges::is_sorted(taken, {}, &equipment::ledger::request::bytes));
    EXPECT_EQ(taken.back().bytes, 1024U);
    EXPECT_LT(arena_.stats().chunk_bytes, requested + requested / 6) << "headers and rests of 24 bytes";
}

TEST_F(concurrent_monotonic, fills_chunks_to_their_end) {
    std::byte* const first = as_bytes(arena_.allocate(8, 8));
    const std::size_t room = 256 - 64;
    EXPECT_EQ(arena_.allocate(room - 8, 8), first + 8);
    EXPECT_EQ(source_.granted().size(), 1U);
    static_cast<void>(arena_.allocate(1, 1));
    EXPECT_EQ(source_.granted().size(), 2U);
}

TEST_F(concurrent_monotonic, large_block_leaves_the_chunk) {
    std::byte* const small = as_bytes(arena_.allocate(8, 8));
    void* const large = arena_.allocate(5000, 8);
    EXPECT_LT(source_.granted()[1].bytes, 5000U + 128U);
    EXPECT_EQ(arena_.allocate(8, 8), small + 8) << "the chunk with the larger rest";
    EXPECT_TRUE(arena_.owns(small));
    EXPECT_TRUE(arena_.owns(as_bytes(large) + 4999));
    EXPECT_FALSE(arena_.owns(&source_));
    const mallard::allocator_stats stats = arena_.stats();
    EXPECT_EQ(stats.chunks, 2U);
    EXPECT_EQ(stats.chunk_bytes, source_.outstanding_bytes());
    EXPECT_EQ(stats.upstream_calls, 2U);
}

TEST_F(concurrent_monotonic, serves_requests_above_the_shared_size) {
    arena_type arena(source_, {.growth = {.first_chunk_bytes = std::size_t{1} << 20}});
    void* const p = arena.allocate(arena_type::largest_shared_bytes + 1, 8);
    EXPECT_EQ(source_.granted().size(), 1U);
    std::memset(p, 1, arena_type::largest_shared_bytes + 1);
    void* const q = arena.allocate(arena_type::largest_shared_bytes, 8);
    EXPECT_EQ(source_.granted().size(), 1U);
    EXPECT_EQ(q, as_bytes(p) + arena_type::largest_shared_bytes + 8);
    static_cast<void>(arena.allocate(4 * arena_type::largest_shared_bytes, 8));
    EXPECT_EQ(source_.granted().size(), 1U) << "there is room";
}

// ---- failures

/// What a request adds to a full chunk would add up.
TEST_F(concurrent_monotonic, failures_leave_the_rest_of_the_chunk) {
    static_cast<void>(arena_.allocate(256 - 64 - 16, 8));
    source_.fail({.at = 1, .for_ever = true});
    for (int i = 0; i != 1000; ++i) {
        EXPECT_EQ(arena_.try_allocate(24, 8), nullptr);
    }
    EXPECT_NE(arena_.try_allocate(16, 8), nullptr);
    EXPECT_EQ(arena_.try_allocate(1, 1), nullptr);
}

TEST_F(concurrent_monotonic, takes_smaller_chunks_where_memory_is_short) {
    arena_type arena(source_, {.growth = {.first_chunk_bytes = 1 << 16}});
    source_.refuse_above(5000);
#ifdef __cpp_exceptions
    EXPECT_NE(arena.allocate(24), nullptr);
    EXPECT_LE(source_.granted()[0].bytes, 5000U);
#endif
}

// ---- threads

/// Threads that find a chunk full at once take one chunk, and not one each.
TEST(concurrent_monotonic_of_threads, replaces_a_chunk_once) {
    constexpr int threads = 4;
    equipment::ledger source;
    arena_type arena(source, {.growth = {.first_chunk_bytes = 1024, .largest_chunk_bytes = 1024}});
    equipment::run_in_threads(threads, [&](int) {
        for (int i = 0; i != 3000; ++i) {
            static_cast<void>(arena.allocate(40, 8));
        }
    });
    constexpr std::size_t in_a_chunk = (1024 - 64) / 40;
    EXPECT_EQ(source.outstanding(), (threads * 3000 + in_a_chunk - 1) / in_a_chunk);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(concurrent_monotonic_of_threads, survives_failures_of_its_upstream) {
    constexpr int threads = 4;
    equipment::ledger source;
    arena_type arena(source, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 256}});
    source.fail({.at = 20, .for_ever = true});
    std::atomic<std::size_t> served = 0;
    equipment::run_in_threads(threads, [&](int) {
        for (int failures = 0; failures != 100;) {
            (arena.try_allocate(64, 8) != nullptr ? static_cast<void>(++served)
                                                  : static_cast<void>(++failures));
        }
    });
    EXPECT_EQ(served, 19U * 3) << "blocks of the chunks that came";
    source.fail({.at = 0});
    EXPECT_NE(arena.try_allocate(64, 8), nullptr);
}

struct all_threads : mallard::shared_by_threads<all_threads, mallard::concurrent_monotonic<>> {};

TEST(concurrent_monotonic_of_threads, is_named_by_a_type) {
    std::atomic<int> wrong = 0;
    equipment::run_in_threads(4, [&](int id) {
        const std::vector<int, mallard::static_allocator<int, all_threads>> mine(1000, id);
        wrong += static_cast<int>(std::ranges::count_if(mine, [&](int n) { return n != id; }));
    });
    EXPECT_EQ(wrong, 0);
    all_threads::pool().release();
}

TEST(concurrent_monotonic_of_threads, lets_the_forking_thread_go_on) {
    mallard::concurrent_monotonic<> arena;
    arena.lock_for_fork();
    EXPECT_NE(arena.allocate(24), nullptr) << "a chunk, under the lock that it has";
    std::thread([&] { EXPECT_FALSE(arena.try_lock_for_fork()); }).join();
    arena.unlock_after_fork();
    std::thread([&] {
        EXPECT_TRUE(arena.try_lock_for_fork());
        arena.unlock_after_fork();
    }).join();
}

} // namespace

#include "equipment/out_of_memory.hpp"

#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using mallard::chunk_cache;
using mallard::pages;

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;

std::size_t cached_bytes() {
    const mallard::chunk_cache_stats s = chunk_cache::stats();
    return s.thread_bytes + s.shared_bytes;
}

/// Begins and ends with an empty cache.
class chunk_cache_test : public ::testing::Test {
protected:
    chunk_cache_test() { chunk_cache::trim(); }
    ~chunk_cache_test() override {
        chunk_cache::set_limits({});
        chunk_cache::trim();
        EXPECT_EQ(cached_bytes(), 0U);
    }

public:
    static void take_and_return(std::size_t chunks, std::size_t bytes) {
        std::vector<void*> taken;
        for (std::size_t i = 0; i < chunks; ++i) {
            taken.push_back(chunk_cache::allocate(bytes));
            std::memset(taken.back(), 1, bytes);
        }
        for (void* p : taken) {
            chunk_cache::deallocate(p, bytes);
        }
    }
};

TEST_F(chunk_cache_test, reuses_returned_chunk) {
    for (const std::size_t bytes : {std::size_t{64}, 4 * kib, 128 * kib, 5 * mib}) {
        void* const p = chunk_cache::allocate(bytes);
        chunk_cache::deallocate(p, bytes);
        EXPECT_GE(cached_bytes(), bytes);
        EXPECT_EQ(chunk_cache::allocate(bytes), p);
        EXPECT_EQ(cached_bytes(), 0U);
        chunk_cache::deallocate(p, bytes);
        chunk_cache::trim();
    }
}

TEST_F(chunk_cache_test, skips_huge_and_over_aligned_chunks) {
    void* const huge = chunk_cache::allocate(65 * mib);
    chunk_cache::deallocate(huge, 65 * mib);
    void* const aligned = chunk_cache::allocate(1000, 256);
    EXPECT_TRUE(mallard::core::is_aligned(aligned, 256));
    chunk_cache::deallocate(aligned, 1000, 256);
    for (const std::size_t bytes :
         {std::size_t{2048}, 12 * kib, 32 * kib}) { // small, no power of two, too strict
        chunk_cache::deallocate(chunk_cache::allocate(bytes, 64 * kib), bytes, 64 * kib);
    }
    EXPECT_EQ(cached_bytes(), 0U);
}

TEST_F(chunk_cache_test, keeps_slabs_at_multiples_of_their_size) {
    std::size_t total_bytes = 0;
    for (std::size_t bytes = 4 * kib; bytes <= 64 * kib; bytes *= 2) {
        // A chunk of the size class, which is aligned for no slab, stays in another bin.
        chunk_cache::deallocate(chunk_cache::allocate(bytes), bytes);
        void* const slab = chunk_cache::allocate(bytes, bytes);
        void* const second = chunk_cache::allocate(bytes, 64);
        EXPECT_TRUE(mallard::core::is_aligned(slab, bytes));
        EXPECT_TRUE(mallard::core::is_aligned(second, bytes)) << "any request may get it later";
        std::memset(slab, 1, bytes);
        chunk_cache::deallocate(second, bytes, 64);
        chunk_cache::deallocate(slab, bytes, bytes);
        EXPECT_EQ(chunk_cache::allocate(bytes, 256), slab);
        EXPECT_EQ(chunk_cache::allocate(bytes, bytes), second);
        chunk_cache::deallocate(second, bytes, bytes);
        chunk_cache::deallocate(slab, bytes, 256);
        total_bytes += 3 * bytes;
        EXPECT_EQ(cached_bytes(), total_bytes);
    }
}

TEST_F(chunk_cache_test, keeps_pages_however_they_are_aligned) {
    void* const p = chunk_cache::allocate(256 * kib, 64 * kib);
    EXPECT_TRUE(mallard::core::is_aligned(p, 64 * kib));
    chunk_cache::deallocate(p, 256 * kib, 64 * kib);
    EXPECT_EQ(cached_bytes(), 256 * kib);
    EXPECT_EQ(chunk_cache::allocate(256 * kib, 64 * kib), p);
    chunk_cache::deallocate(p, 256 * kib, 64 * kib);
    EXPECT_EQ(chunk_cache::allocate(256 * kib), p) << "also serves a request at default alignment";
    chunk_cache::deallocate(p, 256 * kib);
    // Twice the alignment that it happens to have.
    const std::size_t stricter =
        2 * (reinterpret_cast<std::uintptr_t>(p) & -reinterpret_cast<std::uintptr_t>(p));
    void* const strict_chunk = chunk_cache::allocate(256 * kib, stricter);
    EXPECT_NE(strict_chunk, p);
    EXPECT_TRUE(mallard::core::is_aligned(strict_chunk, stricter));
    chunk_cache::deallocate(strict_chunk, 256 * kib, stricter);
}

TEST_F(chunk_cache_test, is_bounded) {
    chunk_cache::set_limits({.thread_bytes = mib, .shared_bytes = 2 * mib});
    take_and_return(256, 64 * kib);
    take_and_return(8, 2 * mib);
    EXPECT_LE(chunk_cache::stats().thread_bytes, mib);
    EXPECT_LE(chunk_cache::stats().shared_bytes, 2 * mib);
    EXPECT_GE(cached_bytes(), mib) << "but it does keep something";
    chunk_cache::set_limits({.thread_bytes = 0, .shared_bytes = 0});
    chunk_cache::trim();
    take_and_return(10, 4 * kib);
    EXPECT_EQ(cached_bytes(), 0U);
}

TEST_F(chunk_cache_test, offers_cached_large_chunks_to_system) {
    chunk_cache::set_limits({.least_offered_bytes = mib});
    take_and_return(3, mib);
    take_and_return(3, 512 * kib);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 3 * mib);
    EXPECT_EQ(cached_bytes(), 4 * mib + 512 * kib);
    std::vector<void*> taken;
    for (int i = 0; i != 3; ++i) {
        taken.push_back(chunk_cache::allocate(mib));
        std::memset(taken.back(), i, mib);
    }
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 0U);
    EXPECT_EQ(cached_bytes(), mib + 512 * kib) << "all three were waiting";
    for (std::size_t i = 0; i != taken.size(); ++i) {
        EXPECT_EQ(static_cast<unsigned char*>(taken[i])[mib - 1], i);
        chunk_cache::deallocate(taken[i], mib);
    }
    EXPECT_EQ(chunk_cache::allocate(mib), taken.back()) << "the last one first";
    chunk_cache::deallocate(taken.back(), mib);
}

TEST_F(chunk_cache_test, discards_the_memory_of_a_part) {
    auto* const p = static_cast<unsigned char*>(chunk_cache::allocate(mib));
    std::memset(p, 7, mib);
    chunk_cache::discard(p + 256 * kib, 512 * kib);
    EXPECT_TRUE(std::all_of(p, p + 256 * kib, [](unsigned char c) { return c == 7; }));
    EXPECT_TRUE(std::all_of(p + 256 * kib, p + 768 * kib, [](unsigned char c) { return c == 0; }));
    EXPECT_TRUE(std::all_of(p + 768 * kib, p + mib, [](unsigned char c) { return c == 7; }));
    std::memset(p, 8, mib);
    chunk_cache::deallocate(p, mib);
    EXPECT_EQ(chunk_cache::allocate(mib), p) << "a chunk like any other";
    chunk_cache::deallocate(p, mib);
}

TEST_F(chunk_cache_test, offers_huge_pages_only) {
    const std::size_t huge = pages::huge_page_bytes();
    take_and_return(1, huge / 2);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 0U);
    take_and_return(1, huge);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, pages::has_huge_pages() ? huge : 0);
    take_and_return(1, 2 * huge + huge / 2);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, pages::has_huge_pages() ? 3 * huge : 0);
    EXPECT_EQ(cached_bytes(), 4 * huge);
    chunk_cache::trim();
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 0U);
}

TEST(chunk_cache_death_test, offers_nothing_without_huge_pages) {
    GTEST_FLAG_SET(death_test_style,
                   "threadsafe"); // a separate process, which has not queried huge pages yet
    EXPECT_EXIT(
        {
            const bool off = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;
            chunk_cache::deallocate(chunk_cache::allocate(4 * mib), 4 * mib);
            const bool kept = chunk_cache::stats().thread_bytes == 4 * mib;
            std::_Exit(
                off && kept && !pages::has_huge_pages() && chunk_cache::stats().offered_bytes == 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(chunk_cache_test, respects_offer_limit) {
    chunk_cache::set_limits({.least_offered_bytes = 0});
    take_and_return(2, 64 * kib);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 0U) << "those are operator new's";
    take_and_return(2, 128 * kib);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 256 * kib);
    chunk_cache::set_limits({.least_offered_bytes = SIZE_MAX});
    take_and_return(3, 128 * kib);
    EXPECT_EQ(chunk_cache::stats().offered_bytes, 0U) << "two of them were offered before";
    EXPECT_EQ(cached_bytes(), (2 * 64 + 3 * 128) * kib);
}

TEST_F(chunk_cache_test, decays_where_chunks_are_not_needed_any_more) {
    take_and_return(16, mib);
    EXPECT_GE(cached_bytes(), 16 * mib);
    for (int i = 0; i < 400000; ++i) {
        take_and_return(1, 256);
    }
    EXPECT_LE(cached_bytes(), mib) << "also what went on to the shared bins";
}

TEST_F(chunk_cache_test, takes_newest_chunk_after_decay) {
    for (const std::size_t bytes : {4 * kib, 256 * kib, mib}) { // operator new's, pages, offered pages
        chunk_cache::set_limits({.thread_bytes = 64 * mib, .least_offered_bytes = mib});
        take_and_return(40, bytes);
        void* const newest = chunk_cache::allocate(bytes);
        chunk_cache::deallocate(newest, bytes);
        for (int i = 0; i != 5000; ++i) {
            void* const p = chunk_cache::allocate(bytes);
            ASSERT_EQ(p, newest) << i;
            chunk_cache::deallocate(p, bytes);
        }
        EXPECT_LE(chunk_cache::stats().thread_bytes, 20 * bytes) << "the older ones are not needed";
        chunk_cache::trim();
    }
}

TEST_F(chunk_cache_test, returns_a_peak_in_small_steps) {
    take_and_return(400, 256 * kib);
    const std::size_t peak_bytes = cached_bytes();
    std::size_t left_bytes = peak_bytes;
    for (int i = 0; i != 100000; ++i) {
        take_and_return(1, 4 * kib);
        ASSERT_LE(left_bytes, cached_bytes() + 2 * 256 * kib) << i;
        left_bytes = cached_bytes();
    }
    EXPECT_LE(left_bytes, peak_bytes - 16 * mib);
}

/// Leaves chunks of at least 704 KiB that were not needed in a whole epoch.
void leave_idle_chunks() {
    chunk_cache_test::take_and_return(15, 64 * kib);
    for (int i = 0; i != 2 * 1024; ++i) { // an epoch begins somewhere in the first half
        chunk_cache_test::take_and_return(1, 64);
    }
    ASSERT_GE(cached_bytes(), 704 * kib);
}

TEST_F(chunk_cache_test, hands_on_idle_chunks_for_one_in_use) {
    chunk_cache::set_limits({.thread_bytes = mib, .shared_bytes = mib, .least_offered_bytes = SIZE_MAX});
    leave_idle_chunks();
    void* const p = chunk_cache::allocate(512 * kib);
    chunk_cache::deallocate(p, 512 * kib);
    const mallard::chunk_cache_stats full = chunk_cache::stats();
    EXPECT_EQ(chunk_cache::allocate(512 * kib), p);
    EXPECT_EQ(chunk_cache::stats().thread_bytes, full.thread_bytes - 512 * kib)
        << "was in this thread's bins";
    EXPECT_EQ(chunk_cache::stats().shared_bytes, full.shared_bytes);
    chunk_cache::deallocate(p, 512 * kib);
}

TEST_F(chunk_cache_test, accepts_chunks_of_foreign_threads) {
    void* p = nullptr;
    std::thread([&p] { p = chunk_cache::allocate(64 * kib); }).join();
    std::memset(p, 1, 64 * kib);
    chunk_cache::deallocate(p, 64 * kib);
    EXPECT_EQ(chunk_cache::allocate(64 * kib), p);
    std::thread([p] { chunk_cache::deallocate(p, 64 * kib); }).join();
    EXPECT_EQ(chunk_cache::allocate(64 * kib), p) << "what a thread leaves behind is for the others";
    chunk_cache::deallocate(p, 64 * kib);
}

TEST_F(chunk_cache_test, serves_ending_threads) {
    std::thread([] {
        // Made before the thread first returns a chunk, so it is destroyed after the thread's bins are
        // closed.
        static thread_local mallard::monotonic<> outlives_the_bins;
        static_cast<void>(outlives_the_bins.allocate(3000));
        take_and_return(1, 512);
    }).join();
    EXPECT_GE(chunk_cache::stats().shared_bytes, 3000U + 512U);
}

TEST_F(chunk_cache_test, serves_static_destructors) {
    EXPECT_EXIT(
        {
            static mallard::monotonic<> first;
            static_cast<void>(first.allocate(100000));
            take_and_return(4, 4 * kib);
            static mallard::monotonic<> second;
            static_cast<void>(second.allocate(100000));
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

TEST_F(chunk_cache_test, refuses_impossible_requests) {
    take_and_return(1, mib);
    const std::size_t old_bytes = cached_bytes();
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2 + 1}) {
        EXPECT_OUT_OF_MEMORY(static_cast<void>(chunk_cache::allocate(bytes)));
        EXPECT_EQ(chunk_cache::try_allocate(bytes), nullptr);
    }
    EXPECT_EQ(chunk_cache::try_allocate(64, std::size_t{1} << 63), nullptr);
    EXPECT_EQ(chunk_cache::try_allocate(128 * kib, std::size_t{1} << 62), nullptr);
    EXPECT_EQ(cached_bytes(), old_bytes) << "refused requests keep cached chunks";
}

} // namespace

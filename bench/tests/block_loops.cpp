/// Plan: the requests of the loops over blocks, one by one.
///   1. the ring: the requested number of blocks, the oldest freed first, all freed in the end, none twice
///   2. every block is touched once
///   3. the hand-over: each thread frees the neighbour's blocks, all of them, each once; it ends when memory
///   runs out
///   4. behind the abstract base each request is a call
#include "runner/strategy/block_loops.hpp"

#include "equipment/spy.hpp"
#include "runner/strategy/handover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <set>
#include <vector>

namespace {

/// Records its blocks, the blocks in use and the order of the frees.
class ledger_source {
public:
    explicit ledger_source(std::size_t blocks = SIZE_MAX) : most_(blocks) {}

    void* allocate(std::size_t bytes, std::size_t) {
        const std::scoped_lock lock(mutex_);
        if (allocated.size() == most_) {
            throw std::bad_alloc();
        }
        allocated.push_back(std::make_unique<std::vector<unsigned char>>(bytes));
        void* block = allocated.back()->data();
        in_use.insert(block);
        most_in_use = std::max(most_in_use, in_use.size());
        return block;
    }
    void deallocate(void* p, std::size_t, std::size_t) {
        const std::scoped_lock lock(mutex_);
        EXPECT_EQ(in_use.erase(p), 1U);
        freed.push_back(p);
    }

    std::vector<std::unique_ptr<std::vector<unsigned char>>> allocated;
    std::set<void*> in_use;
    std::vector<void*> freed;
    std::size_t most_in_use = 0;

private:
    std::mutex mutex_;
    std::size_t most_;
};

TEST(block_loops, allocate_and_free_one_block_at_a_time) {
    ledger_source source;
    bench::allocate_and_deallocate(source, 64, 10);
    EXPECT_EQ(source.allocated.size(), 10U);
    EXPECT_EQ(source.freed.size(), 10U);
    EXPECT_EQ(source.most_in_use, 1U);
}

TEST(block_loops, free_the_oldest_block_first) {
    ledger_source source;
    std::vector<std::byte*> ring(4);
    bench::fill_ring(source, 64, ring);
    EXPECT_EQ(source.allocated.size(), 4U);
    EXPECT_TRUE(source.freed.empty());

    const std::size_t oldest = bench::churn_ring(source, 64, ring, 6);
    EXPECT_EQ(source.allocated.size(), 10U);
    EXPECT_EQ(source.in_use.size(), 4U);
    EXPECT_EQ(source.most_in_use, 4U);
    EXPECT_EQ(oldest, 2U);

    bench::empty_ring(source, 64, ring, oldest);
    ASSERT_EQ(source.freed.size(), 10U);
    for (std::size_t i = 0; i != source.freed.size(); ++i) {
        EXPECT_EQ(source.freed[i], source.allocated[i]->data()) << i;
    }
    EXPECT_TRUE(source.in_use.empty());
}

TEST(block_loops, touch_every_block_once) {
    ledger_source source;
    std::vector<std::byte*> ring(4);
    bench::fill_ring(source, 64, ring);
    static_cast<void>(bench::churn_ring(source, 64, ring, 6));
    bench::allocate_and_deallocate(source, 64, 3);
    for (const auto& block : source.allocated) {
        EXPECT_EQ(block->front(), 1);
    }
}

TEST(handover, moves_every_block_to_the_next_thread) {
    constexpr std::size_t threads = 3;
    constexpr std::size_t blocks = 5000; // not a multiple of a batch
    ledger_source source;
    std::vector<bench::batch_queue> queues(threads);
    std::atomic<bool> failed = false;
    static_cast<void>(bench::run_team(
        threads, [](std::size_t) {},
        [&](std::size_t i) {
            bench::hand_over(source, 16, blocks, queues[i], queues[(i + threads - 1) % threads], failed);
        }));
    EXPECT_EQ(source.allocated.size(), threads * blocks);
    EXPECT_EQ(source.freed.size(), threads * blocks);
    EXPECT_TRUE(source.in_use.empty());
    EXPECT_FALSE(failed);
    for (const auto& block : source.allocated) {
        ASSERT_EQ(block->front(), 1);
    }
}

TEST(handover, frees_in_the_neighbouring_thread) {
    struct thread_source {
        void* allocate(std::size_t bytes, std::size_t) {
            auto* block = static_cast<std::thread::id*>(::operator new(bytes));
            block[1] = std::this_thread::get_id();
            return block;
        }
        void deallocate(void* p, std::size_t, std::size_t) {
            if (static_cast<std::thread::id*>(p)[1] == std::this_thread::get_id()) {
                own.fetch_add(1);
            }
            ::operator delete(p);
        }
        std::atomic<std::size_t> own = 0;
    } source;
    std::vector<bench::batch_queue> queues(2);
    std::atomic<bool> failed = false;
    static_cast<void>(bench::run_team(
        2, [](std::size_t) {},
        [&](std::size_t i) { bench::hand_over(source, 64, 1000, queues[i], queues[1 - i], failed); }));
    EXPECT_EQ(source.own, 0U);
}

TEST(handover, ends_all_threads_when_memory_runs_out) {
    ledger_source source(3000);
    std::vector<bench::batch_queue> queues(2);
    std::atomic<bool> failed = false;
    const auto run = [&] {
        static_cast<void>(bench::run_team(
            2, [](std::size_t) {},
            [&](std::size_t i) {
                bench::hand_over(source, 16, 1U << 20, queues[i], queues[1 - i], failed);
            }));
    };
    EXPECT_THROW(run(), std::bad_alloc);
    EXPECT_TRUE(failed);
}

TEST(block_loops, call_the_abstract_base_for_every_request) {
    equipment::spy resource;
    std::pmr::memory_resource& base = resource;
    bench::allocate_and_deallocate(base, 64, 10);
    EXPECT_EQ(resource.allocations, 10U);
    EXPECT_EQ(resource.deallocations, 10U);

    std::vector<std::byte*> ring(4);
    bench::fill_ring(base, 64, ring);
    const std::size_t oldest = bench::churn_ring(base, 64, ring, 6);
    bench::empty_ring(base, 64, ring, oldest);
    EXPECT_EQ(resource.allocations, 20U);
    EXPECT_EQ(resource.deallocations, 20U);

    bench::batch_queue queue;
    std::atomic<bool> failed = false;
    bench::hand_over(base, 64, 100, queue, queue, failed);
    EXPECT_EQ(resource.allocations, 120U);
    EXPECT_EQ(resource.deallocations, 120U);
}

} // namespace

// Allocators that several threads share, and the end of a thread or an allocator. ThreadSanitizer watches in its build.
// Every block is filled when it is allocated and verified before it is freed.
#include "contract/stamped_block.hpp"
#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/run_in_threads.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

using contract::stamped_block;

constexpr int threads = 4;

/// Blocks that threads hand over to other threads for deallocation.
class exchange {
public:
    void put(stamped_block b) {
        const std::scoped_lock lock(mutex_);
        blocks_.push_back(b);
    }

    bool take(stamped_block& b) {
        const std::scoped_lock lock(mutex_);
        if (blocks_.empty()) {
            return false;
        }
        b = blocks_.front();
        blocks_.pop_front();
        return true;
    }

private:
    std::mutex mutex_;
    std::deque<stamped_block> blocks_;
};

/// Mostly node sizes; some without a magazine, some beyond the pools, some over-aligned.
stamped_block::shape random_shape(std::mt19937& random) {
    const auto draw = random();
    if (draw % 64 == 0) {
        return {.bytes = 9000 + draw / 64 % 60000, .alignment = 8};
    }
    if (draw % 64 == 1) {
        return {.bytes = 1 + draw / 64 % 300, .alignment = 128};
    }
    return {.bytes = 1 + draw / 64 % (draw % 4 == 0 ? 5000 : 100), .alignment = draw % 3 == 0 ? 16U : 8U};
}

/// The ledger is not thread-safe: the allocator must lock it.
template <class A>
class shared_by_threads : public equipment::on_ledger {
protected:
    A allocator_{source_};
};

using shared_allocators =
    ::testing::Types<mallard::synchronized<mallard::multipool<equipment::ledger>>,
                     mallard::synchronized<mallard::monotonic<equipment::ledger>>,
                     mallard::concurrent_monotonic<equipment::ledger>,
                     mallard::concurrent_multipool<equipment::ledger>,
                     mallard::checked<mallard::concurrent_monotonic<equipment::ledger>>,
                     mallard::checked<mallard::concurrent_multipool<equipment::ledger>>,
                     mallard::counted<mallard::concurrent_multipool<equipment::ledger>>>;
TYPED_TEST_SUITE(shared_by_threads, shared_allocators);

TYPED_TEST(shared_by_threads, keeps_blocks_of_threads_apart) {
    std::atomic<int> wrong = 0;
    equipment::run_in_threads(threads, [&](int id) {
        std::mt19937 random(static_cast<unsigned>(id));
        std::vector<stamped_block> mine;
        for (int i = 0; i < 4000; ++i) {
            if (mine.size() > 100 || (!mine.empty() && random() % 2 == 0)) {
                std::swap(mine[random() % mine.size()], mine.back());
                wrong += mine.back().free_from(this->allocator_);
                mine.pop_back();
            } else {
                mine.push_back(stamped_block::make_in(this->allocator_, random_shape(random)));
            }
        }
        for (stamped_block& b : mine) {
            wrong += b.free_from(this->allocator_);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TYPED_TEST(shared_by_threads, accepts_blocks_of_other_threads) {
    std::atomic<int> wrong = 0;
    exchange blocks;
    equipment::run_in_threads(threads, [&](int id) {
        std::mt19937 random(static_cast<unsigned>(id));
        for (int i = 0; i < 3000; ++i) {
            blocks.put(stamped_block::make_in(this->allocator_, random_shape(random)));
            if (stamped_block b; i > 20 && blocks.take(b)) {
                wrong += b.free_from(this->allocator_);
            }
        }
    });
    for (stamped_block b; blocks.take(b);) {
        wrong += b.free_from(this->allocator_);
    }
    EXPECT_EQ(wrong, 0);
}

/// The threads outlive the releases and must not use released memory.
TYPED_TEST(shared_by_threads, starts_fresh_in_every_thread_after_release) {
    std::atomic<int> wrong = 0;
    std::atomic<int> arrived = 0;
    std::atomic<int> round = 0;
    constexpr int rounds = 50;
    std::vector<std::thread> running;
    for (int id = 0; id < threads; ++id) {
        running.emplace_back([&, id] {
            std::mt19937 random(static_cast<unsigned>(id));
            for (int r = 0; r < rounds; ++r) {
                std::vector<stamped_block> mine;
                for (int i = 0; i < 60; ++i) {
                    mine.push_back(stamped_block::make_in(this->allocator_, random_shape(random)));
                }
                for (std::size_t i = 0; i < mine.size(); i += 2) {
                    wrong += mine[i].free_from(this->allocator_);
                }
                for (std::size_t i = 1; i < mine.size(); i += 2) {
                    wrong += mine[i].is_intact() ? 0 : 1; // left to release()
                }
                ++arrived;
                arrived.notify_all();
                round.wait(r);
            }
        });
    }
    for (int r = 0; r < rounds; ++r) {
        for (int n = arrived; n != threads * (r + 1); n = arrived) {
            arrived.wait(n);
        }
        this->allocator_.release();
        EXPECT_EQ(this->source_.outstanding(), 0U);
        ++round;
        round.notify_all();
    }
    for (std::thread& t : running) {
        t.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST(budget_of_threads, is_exact) {
    constexpr std::size_t bytes = 64;
    constexpr int most = 1000;
    mallard::limited<mallard::concurrent_multipool<>> pool(most * bytes);
    for (int round = 0; round < 5; ++round) {
        std::atomic<int> served = 0;
        equipment::run_in_threads(threads, [&](int) {
            std::vector<void*> mine;
            while (void* const p = pool.try_allocate(bytes)) {
                mine.push_back(p);
            }
            served += static_cast<int>(mine.size());
        });
        EXPECT_EQ(served, most);
        EXPECT_EQ(pool.bytes_in_use(), most * bytes);
        pool.release();
    }
}

TEST(counts_of_threads, are_exact) {
    mallard::counted<mallard::concurrent_multipool<>> pool;
    constexpr int rounds = 1000;
    equipment::run_in_threads(threads, [&](int) {
        for (int i = 0; i < rounds; ++i) {
            void* const p = pool.allocate(40);
            void* const kept = pool.allocate(8);
            pool.deallocate(p, 40);
            static_cast<void>(kept);
        }
    });
    const mallard::allocation_counts counts = pool.counts();
    EXPECT_EQ(counts.allocations, 2U * threads * rounds);
    EXPECT_EQ(counts.deallocations, 1U * threads * rounds);
    EXPECT_EQ(counts.allocated_bytes, 48U * threads * rounds);
    EXPECT_EQ(counts.bytes_in_use, 8U * threads * rounds);
    EXPECT_GE(counts.peak_bytes, counts.bytes_in_use + 40);
    EXPECT_LE(counts.peak_bytes, counts.bytes_in_use + 40U * threads);
    EXPECT_EQ(counts.failures, 0U);
}

} // namespace

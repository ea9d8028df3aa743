// A concurrent_multipool and its threads, ending in every order. The blocks in the magazines of a thread must be returned
// exactly once.
#include "contract/stamped_block.hpp"
#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/local/concurrent_multipool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

using contract::stamped_block;
using pool_type = mallard::concurrent_multipool<equipment::ledger>;

constexpr stamped_block::shape node{.bytes = 64, .alignment = 8};

template <class Pool>
int allocate_and_free(Pool& pool, std::size_t count) {
    std::vector<stamped_block> blocks;
    for (std::size_t i = 0; i < count; ++i) {
        blocks.push_back(stamped_block::make_in(pool, node));
    }
    int wrong = 0;
    for (const stamped_block& b : blocks) {
        wrong += b.free_from(pool);
    }
    return wrong;
}

/// Two threads that take turns.
class turns {
public:
    void wait_for(int turn) {
        for (int current = turn_; current < turn; current = turn_) {
            turn_.wait(current);
        }
    }
    void next() {
        ++turn_;
        turn_.notify_all();
    }

private:
    std::atomic<int> turn_ = 0;
};

class ends_of_threads : public equipment::on_ledger {};

TEST_F(ends_of_threads, return_their_magazines) {
    pool_type pool(source_);
    std::size_t held = 0;
    for (int i = 0; i < 100; ++i) {
        std::thread([&] { EXPECT_EQ(allocate_and_free(pool, 40), 0); }).join();
        held = i == 0 ? pool.stats().chunk_bytes : held;
    }
    EXPECT_EQ(pool.stats().chunk_bytes, held) << "a thread must reuse the blocks of the previous thread";
}

TEST_F(ends_of_threads, may_follow_the_end_of_the_allocator) {
    turns turn;
    auto pool = std::make_unique<pool_type>(source_);
    std::thread thread([&] {
        EXPECT_EQ(allocate_and_free(*pool, 100), 0);
        turn.next();
        turn.wait_for(2);
    });
    turn.wait_for(1);
    pool.reset();
    EXPECT_EQ(source_.outstanding(), 0U);
    turn.next();
    thread.join();
}

/// A new allocator at the address of a destroyed one must not inherit its magazines.
TEST_F(ends_of_threads, may_follow_several_allocators_at_one_address) {
    turns turn;
    alignas(pool_type) std::byte storage[sizeof(pool_type)];
    constexpr int lives = 50;
    auto* pool = ::new (static_cast<void*>(storage)) pool_type(source_);
    std::thread thread([&] {
        for (int life = 0; life < lives; ++life) {
            turn.wait_for(2 * life);
            EXPECT_EQ(allocate_and_free(*pool, 20), 0);
            turn.next();
        }
    });
    for (int life = 0; life < lives; ++life) {
        turn.wait_for(2 * life + 1);
        EXPECT_EQ(allocate_and_free(*pool, 20), 0);
        pool->~pool_type();
        EXPECT_EQ(source_.outstanding(), 0U);
        pool = ::new (static_cast<void*>(storage)) pool_type(source_);
        turn.next();
    }
    thread.join();
    pool->~pool_type();
}

/// The threads no longer use the allocator, but may not have exited yet.
TEST_F(ends_of_threads, may_coincide_with_the_end_of_the_allocator) {
    for (int round = 0; round < 200; ++round) {
        auto pool = std::make_unique<pool_type>(source_);
        std::atomic<int> done = 0;
        std::vector<std::thread> running;
        for (int id = 0; id < 3; ++id) {
            running.emplace_back([&] {
                EXPECT_EQ(allocate_and_free(*pool, 30), 0);
                ++done;
            });
        }
        while (done != 3) {
            std::this_thread::yield();
        }
        if (round % 2 == 0) {
            pool->release();
            EXPECT_EQ(allocate_and_free(*pool, 30), 0);
        }
        pool.reset();
        for (std::thread& t : running) {
            t.join();
        }
        ASSERT_EQ(source_.outstanding(), 0U);
    }
}

TEST_F(ends_of_threads, may_free_blocks_without_ever_allocating) {
    pool_type pool(source_);
    std::vector<stamped_block> blocks;
    for (int i = 0; i < 1000; ++i) {
        blocks.push_back(stamped_block::make_in(pool, node));
    }
    const std::size_t held = pool.stats().chunk_bytes;
    std::thread([&] {
        for (const stamped_block& b : blocks) {
            EXPECT_EQ(b.free_from(pool), 0);
        }
    }).join();
    EXPECT_EQ(allocate_and_free(pool, 900), 0);
    EXPECT_EQ(pool.stats().chunk_bytes, held);
}

/// One thread allocates and another frees: the freed blocks must return to the allocating thread.
TEST_F(ends_of_threads, do_not_grow_memory_between_producer_and_consumer) {
    pool_type pool(source_);
    constexpr std::size_t slots = 256;
    std::vector<std::atomic<stamped_block*>> mailbox(slots);
    std::atomic<int> wrong = 0;
    constexpr std::size_t handed_over = 30000;
    std::thread freeing([&] {
        for (std::size_t i = 0; i < handed_over; ++i) {
            stamped_block* b = nullptr;
            while ((b = mailbox[i % slots].exchange(nullptr)) == nullptr) {
                std::this_thread::yield();
            }
            wrong += b->free_from(pool);
            delete b;
        }
    });
    for (std::size_t i = 0; i < handed_over; ++i) {
        while (mailbox[i % slots] != nullptr) {
            std::this_thread::yield();
        }
        mailbox[i % slots] = new stamped_block(stamped_block::make_in(pool, node));
    }
    freeing.join();
    EXPECT_EQ(wrong, 0);
    // Blocks in use, in two magazines, and in batches in transit; the next chunk may be as large as all earlier ones.
    const std::size_t most_blocks =
        slots +
        3 * mallard::threads::magazine_capacity(mallard::threads::magazine_index(node.bytes, node.alignment));
    EXPECT_LE(pool.stats().chunk_bytes, 4 * most_blocks * node.bytes);
}

TEST_F(ends_of_threads, are_served_to_the_last_instruction) {
    pool_type shared(source_);
    std::thread([&] {
        struct late {
            explicit late(pool_type& p) : pool(p) {}
            late(const late&) = delete;
            late& operator=(const late&) = delete;
            ~late() {
                EXPECT_EQ(allocate_and_free(pool, 100), 0);
                EXPECT_EQ(block.free_from(pool), 0);
            }
            pool_type& pool;
            stamped_block block;
        };
        // Constructed before the first use of the allocator in this thread, so destroyed after the magazines.
        static thread_local late outlives_the_magazines(shared);
        outlives_the_magazines.block = stamped_block::make_in(shared, node);
        EXPECT_EQ(allocate_and_free(shared, 100), 0);
    }).join();
    EXPECT_EQ(shared.stats().large_blocks, 0U);
}

/// More allocators than a thread has magazines for, shared by all threads, constructed and destroyed continuously.
TEST_F(ends_of_threads, keep_many_allocators_consistent) {
    constexpr std::size_t pools = 3 * mallard::threads::caches_per_thread;
    std::vector<std::unique_ptr<mallard::concurrent_multipool<>>> shared(pools);
    for (auto& p : shared) {
        p = std::make_unique<mallard::concurrent_multipool<>>();
    }
    std::atomic<int> wrong = 0;
    const auto work = [&](std::size_t first) {
        for (std::size_t i = 0; i < 3000; ++i) {
            wrong += allocate_and_free(*shared[(first + i * i) % pools], 5);
            if (i % 10 == 0) {
                mallard::concurrent_multipool<> brief;
                wrong += allocate_and_free(brief, 5);
            }
        }
    };
    for (int round = 0; round < 3; ++round) {
        std::thread one(work, 0);
        std::thread two(work, 7);
        one.join();
        shared[static_cast<std::size_t>(round)] = std::make_unique<mallard::concurrent_multipool<>>();
        two.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST_F(ends_of_threads, lock_stacked_allocators_in_one_order) {
    mallard::concurrent_multipool<> below;
    std::vector<std::unique_ptr<mallard::concurrent_multipool<mallard::concurrent_multipool<>>>> above;
    for (std::size_t i = 0; i < 2 * mallard::threads::caches_per_thread; ++i) {
        above.push_back(
            std::make_unique<mallard::concurrent_multipool<mallard::concurrent_multipool<>>>(below));
    }
    std::atomic<int> wrong = 0;
    const auto work = [&](std::size_t step) {
        for (std::size_t i = 0; i < 1500; ++i) {
            auto& pool = *above[i * step % above.size()];
            wrong += allocate_and_free(pool, 3);
            wrong += stamped_block::make_in(pool, {.bytes = 40000, .alignment = 8}).free_from(pool);
        }
    };
    std::thread one(work, 1);
    std::thread two(work, 7);
    one.join();
    two.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(ends_of_threads, and_of_the_program_spare_static_allocators) {
    EXPECT_EXIT(
        {
            static mallard::concurrent_multipool<> first;
            struct late {
                late() = default;
                late(const late&) = delete;
                late& operator=(const late&) = delete;
                ~late() { static_cast<void>(allocate_and_free(first, 100) == 0 || (std::abort(), false)); }
            };
            static const late uses_it;
            if (allocate_and_free(first, 100) != 0) {
                std::abort();
            }
            static mallard::concurrent_multipool<> second;
            static_cast<void>(second.allocate(100000));
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

} // namespace

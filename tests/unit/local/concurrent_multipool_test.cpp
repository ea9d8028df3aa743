#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace {

using pool_type = mallard::concurrent_multipool<equipment::ledger>;

class concurrent_multipool : public equipment::on_ledger {
protected:
    pool_type pool_{source_};
};

TEST_F(concurrent_multipool, reuses_last_freed_block) {
    void* const a = pool_.allocate(24, 8);
    void* const b = pool_.allocate(24, 8);
    pool_.deallocate(a, 24, 8);
    pool_.deallocate(b, 24, 8);
    EXPECT_EQ(pool_.allocate(17, 8), b) << "17 to 24 bytes are one class";
    EXPECT_EQ(pool_.allocate(24, 1), a);
}

TEST_F(concurrent_multipool, hands_batches_out_in_the_order_of_addresses) {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) {
        blocks.push_back(pool_.allocate(48, 8));
    }
    int steps_down = 0;
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        steps_down += std::less<>()(blocks[i], blocks[i - 1]) ? 1 : 0;
    }
    EXPECT_LE(steps_down, static_cast<int>(source_.granted().size()));
}

#ifdef __cpp_exceptions
/// Returns: the number of blocks that a pool gives before it fails, over an upstream that grants `chunks` small chunks.
template <class Pool>
std::size_t blocks_of_chunks(std::size_t chunks) {
    equipment::ledger source;
    Pool pool(source, {.largest_pooled_bytes = 72, .growth = {64, 64}});
    source.fail({.at = chunks + 1, .for_ever = true});
    std::size_t blocks = 0;
    try {
        for (;; ++blocks) {
            static_cast<void>(pool.allocate(24, 8));
        }
    } catch (const std::bad_alloc&) {
        return blocks;
    }
}

TEST_F(concurrent_multipool, partial_batch_satisfies_request) {
    for (std::size_t chunks = 1; chunks != 20; ++chunks) {
        EXPECT_EQ(blocks_of_chunks<pool_type>(chunks),
                  blocks_of_chunks<mallard::multipool<equipment::ledger>>(chunks));
    }
}
#endif

TEST_F(concurrent_multipool, allocates_lazily_and_little) {
    EXPECT_TRUE(source_.granted().empty());
    for (int i = 0; i < 4; ++i) {
        static_cast<void>(pool_.allocate(24, 8));
    }
    EXPECT_LE(source_.outstanding_bytes(), 320U) << "four nodes must not take a page";
}

/// Frees far more than a magazine holds: the multipool has it back, for other sizes of requests and threads.
TEST_F(concurrent_multipool, magazine_respects_capacity) {
    std::vector<void*> blocks;
    for (int i = 0; i < 2000; ++i) {
        blocks.push_back(pool_.allocate(64, 8));
    }
    const std::size_t held = source_.outstanding_bytes();
    const std::set<void*> all(blocks.begin(), blocks.end());
    for (int round = 0; round < 20; ++round) {
        for (void* p : blocks) {
            pool_.deallocate(p, 64, 8);
        }
        for (void*& p : blocks) {
            p = pool_.allocate(64, 8);
        }
        ASSERT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
    }
    EXPECT_EQ(source_.outstanding_bytes(), held);
}

/// The thread has had four MiB in flight, so its magazines have grown; another thread finds the rest.
TEST_F(concurrent_multipool, idle_blocks_of_a_thread_are_bounded) {
    constexpr std::size_t bytes = 256;
    std::vector<void*> blocks(16384);
    for (int round = 0; round != 3; ++round) {
        for (void*& p : blocks) {
            p = pool_.allocate(bytes, 8);
        }
        for (void* p : blocks) {
            pool_.deallocate(p, bytes, 8);
        }
    }
    const std::size_t held = source_.outstanding_bytes();
    const std::size_t capacity =
        mallard::threads::magazine_capacity(mallard::threads::magazine_index(bytes, 8));
    const std::size_t idle = capacity + mallard::threads::most_growth_bytes / bytes;
    std::thread([&] {
        for (std::size_t i = idle; i != blocks.size(); ++i) {
            static_cast<void>(pool_.allocate(bytes, 8));
        }
    }).join();
    EXPECT_EQ(source_.outstanding_bytes(), held);
}

/// Whole batches wait as they are: the block freed first is not reached before all later batches are used again.
TEST_F(concurrent_multipool, gives_the_batch_that_was_freed_last_first) {
    const std::size_t index = mallard::threads::magazine_index(64, 8);
    const std::size_t count = 6 * mallard::threads::batch_blocks(index);
    std::vector<void*> freed(count);
    for (void*& p : freed) {
        p = pool_.allocate(64, 8);
    }
    for (void* p : freed) {
        pool_.deallocate(p, 64, 8);
    }
    std::vector<void*> again(count);
    for (void*& p : again) {
        p = pool_.allocate(64, 8);
    }
    const auto first = std::find(again.begin(), again.end(), freed.front()) - again.begin();
    EXPECT_GE(static_cast<std::size_t>(first), count - mallard::threads::batch_blocks(index));
}

TEST_F(concurrent_multipool, sends_larger_requests_upstream_and_remembers_them) {
    const std::size_t bytes = pool_.largest_pooled_bytes() + 1;
    void* const p = pool_.allocate(bytes, 8);
    EXPECT_EQ(pool_.stats().large_blocks, 1U);
    pool_.deallocate(p, bytes, 8);
    EXPECT_EQ(source_.outstanding(), 0U) << "such a block goes back at once";
    static_cast<void>(pool_.allocate(bytes, 8));
    pool_.release();
    EXPECT_EQ(source_.outstanding(), 0U) << "and at the latest on release";
}

TEST_F(concurrent_multipool, unpooled_sizes_have_no_magazine) {
    pool_type pool(source_, {.largest_pooled_bytes = 64});
    void* const p = pool.allocate(72, 8);
    EXPECT_EQ(pool.stats().large_blocks, 1U);
    pool.deallocate(p, 72, 8);
    EXPECT_EQ(pool.stats().large_blocks, 0U);
}

TEST_F(concurrent_multipool, magazines_fill_cache_lines) {
    std::vector<void*> blocks;
    for (int i = 0; i < 100; ++i) {
        blocks.push_back(pool_.allocate(i % 2 == 0 ? 100 : 128, 64));
        ASSERT_TRUE(mallard::core::is_aligned(blocks.back(), 64));
        std::memset(blocks.back(), i, 100);
    }
    void* const a = blocks[17];
    void* const b = blocks[80];
    pool_.deallocate(a, 128, 64);
    pool_.deallocate(b, 100, 64);
    EXPECT_EQ(pool_.allocate(65, 32), b) << "65 to 128 bytes are two lines";
    EXPECT_EQ(pool_.allocate(128, 64), a);
}

TEST_F(concurrent_multipool, tidy_returns_blocks_of_ended_threads) {
    std::vector<void*> blocks(4000);
    std::ranges::generate(blocks, [this] { return pool_.allocate(40); });
    const std::size_t peak_bytes = pool_.stats().chunk_bytes;
    std::thread([&] {
        for (void* p : blocks) {
            pool_.deallocate(p, 40);
        }
    }).join();
    pool_.tidy();
    EXPECT_LT(pool_.stats().chunk_bytes, peak_bytes)
        << "except for chunks with blocks of this thread's magazine";
    void* const p = pool_.allocate(40);
    std::memset(p, 1, 40);
    pool_.deallocate(p, 40);
}

#ifdef __cpp_exceptions

/// Returns: the number of blocks until no request is granted any more.
template <class Pool>
std::size_t blocks_of_40(Pool& pool) {
    std::size_t granted = 0;
    for (int refused_in_a_row = 0; refused_in_a_row != 2;) {
        try {
            static_cast<void>(pool.allocate(40, 8));
            ++granted;
            refused_in_a_row = 0;
        } catch (const std::bad_alloc&) {
            ++refused_in_a_row;
        }
    }
    return granted;
}

/// A batch that is too large for the rest must not make the rest unusable.
TEST_F(concurrent_multipool, serves_last_available_block) {
    using bounded = mallard::limited<mallard::new_delete>;
    for (const std::size_t budget : {2000U, 5000U, 100000U}) {
        bounded of_one(budget);
        bounded of_many(budget);
        mallard::multipool<bounded> one(of_one);
        mallard::concurrent_multipool<bounded> many(of_many);
        // Blocks freed in between may need a block for the table of free blocks.
        EXPECT_GE(blocks_of_40(many) + 1, blocks_of_40(one));
    }
}

/// The batch fails completely, and its blocks serve the next request.
TEST_F(concurrent_multipool, loses_nothing_where_a_batch_fails_halfway) {
    pool_type pool(source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 64}});
    std::set<void*> blocks;
    for (int i = 0; i < 40; ++i) {
        blocks.insert(pool.allocate(40, 8));
    }
    for (std::size_t request = 1; request < 20; ++request) {
        const std::size_t granted = source_.granted().size();
        source_.fail({.at = request, .for_ever = true});
        while (!source_.failed()) {
            try {
                EXPECT_TRUE(blocks.insert(pool.allocate(40, 8)).second);
            } catch (const std::bad_alloc&) {
                EXPECT_TRUE(source_.failed());
            }
        }
        EXPECT_EQ(source_.granted().size(), granted + request - 1);
    }
    source_.fail({.at = 0});
    for (void* p : blocks) {
        pool.deallocate(p, 40, 8);
    }
    const std::size_t held = source_.outstanding();
    // But for a batch that is ahead of the requests.
    for (std::size_t i = mallard::threads::magazine_capacity(mallard::threads::magazine_index(40, 8));
         i < blocks.size(); ++i) {
        static_cast<void>(pool.allocate(40, 8));
    }
    EXPECT_GT(blocks.size(), 200U);
    EXPECT_EQ(source_.outstanding(), held) << "every block is still there";
}

#endif

// ---- size and construction

TEST(concurrent_multipool_construction, shares_no_cache_line) {
    EXPECT_EQ(alignof(mallard::concurrent_multipool<>), mallard::cache_line_bytes);
    EXPECT_EQ(sizeof(mallard::concurrent_multipool<>) % mallard::cache_line_bytes, 0U);
    EXPECT_LE(sizeof(mallard::concurrent_multipool<>), 832U);
}

} // namespace

// Several threads at once: the chunk cache is shared, allocators are private. The tsan preset runs these tests.
#include "equipment/run_in_threads.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int threads = 4;

class threads_test : public ::testing::Test {
protected:
    ~threads_test() override {
        mallard::chunk_cache::set_limits({});
        mallard::chunk_cache::trim();
    }
};

TEST_F(threads_test, run_private_allocators_over_one_cache) {
    std::atomic<int> wrong = 0;
    equipment::run_in_threads(threads, [&wrong](int id) {
        for (int round = 0; round < 200; ++round) {
            mallard::monotonic<> arena;
            mallard::multipool<> pool;
            std::vector<int, mallard::allocator<int, mallard::monotonic<>>> in_arena(arena);
            std::vector<int, mallard::allocator<int, mallard::multipool<>>> in_pool(pool);
            for (int i = 0; i < 500; ++i) {
                in_arena.push_back(id);
                in_pool.push_back(id);
            }
            wrong += static_cast<int>(
                std::count_if(in_arena.begin(), in_arena.end(), [id](int n) { return n != id; }));
            wrong += static_cast<int>(
                std::count_if(in_pool.begin(), in_pool.end(), [id](int n) { return n != id; }));
        }
    });
    EXPECT_EQ(wrong, 0);
}

/// Threads put chunks into a shared queue and return chunks of other threads.
TEST_F(threads_test, return_chunks_of_other_threads) {
    struct chunk {
        unsigned char* p;
        std::size_t bytes;
        unsigned char filled_with;
    };
    // Small limits, so that requests often reach the shared bins and the system.
    mallard::chunk_cache::set_limits({.thread_bytes = 64 << 10, .shared_bytes = 256 << 10});
    std::mutex mutex;
    std::vector<chunk> shared_chunks;
    std::atomic<int> wrong = 0;

    const auto check_and_return = [&wrong](const chunk& c) {
        for (std::size_t i = 0; i < c.bytes; i += 97) {
            wrong += c.p[i] == c.filled_with ? 0 : 1;
        }
        mallard::chunk_cache::deallocate(c.p, c.bytes);
    };

    equipment::run_in_threads(threads, [&](int id) {
        for (std::size_t i = 0; i < 2000; ++i) {
            const std::size_t bytes = std::size_t{64} << (i * 7 + static_cast<std::size_t>(id)) % 9;
            const auto fill = static_cast<unsigned char>(i + static_cast<std::size_t>(id));
            const chunk filled{static_cast<unsigned char*>(mallard::chunk_cache::allocate(bytes)), bytes,
                               fill};
            std::memset(filled.p, fill, bytes);

            const std::scoped_lock lock(mutex);
            shared_chunks.push_back(filled);
            if (shared_chunks.size() > 20) {
                check_and_return(shared_chunks.front());
                shared_chunks.erase(shared_chunks.begin());
            }
        }
    });
    for (const chunk& c : shared_chunks) {
        check_and_return(c);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_LE(mallard::chunk_cache::stats().shared_bytes, 256U << 10);
}

TEST_F(threads_test, query_and_trim_at_any_time) {
    std::atomic<std::size_t> most = 0;
    equipment::run_in_threads(threads, [&most](int id) {
        for (int i = 0; i < 500; ++i) {
            mallard::monotonic<> arena;
            static_cast<void>(arena.allocate(5000));
            if (id == 0) {
                mallard::chunk_cache::trim();
                mallard::chunk_cache::set_limits({.thread_bytes = std::size_t{1} << (10 + i % 15)});
            }
            most = std::max(most.load(), mallard::chunk_cache::stats().shared_bytes);
        }
    });
    EXPECT_LE(most, mallard::chunk_cache_limits{}.shared_bytes);
}

TEST_F(threads_test, hand_over_allocators) {
    mallard::multipool<> pool;
    std::vector<void*> blocks;
    std::thread([&] {
        for (int i = 0; i < 1000; ++i) {
            blocks.push_back(pool.allocate(100));
        }
    }).join();
    for (void* p : blocks) {
        std::memset(p, 1, 100);
        pool.deallocate(p, 100);
    }
    std::thread([&] { pool.release(); }).join();
    EXPECT_EQ(pool.stats().chunks, 0U);
}

/// The out-of-memory handler is process-wide; any thread may set it while others run.
TEST_F(threads_test, see_one_handler) {
    equipment::run_in_threads(threads, [](int) {
        for (int i = 0; i < 1000; ++i) {
            const mallard::out_of_memory_handler ignore = [](std::size_t, std::size_t) noexcept {};
            mallard::set_out_of_memory_handler(i % 2 == 0 ? ignore : nullptr);
        }
        mallard::set_out_of_memory_handler(nullptr);
    });
    EXPECT_EQ(mallard::set_out_of_memory_handler(nullptr), nullptr);
}

} // namespace

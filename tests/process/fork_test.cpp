// A process with many threads forks: the child has one thread, which may use every allocator that the process shares. An
// alarm kills a child that hangs.
// Not under AddressSanitizer, because some runtimes leave its locks held in the child.
#include "process/child.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#ifndef MALLARD_ASAN

namespace {

/// The number of forks. Each takes a hundred times as long under ThreadSanitizer, which sees everything in the first ones.
#ifdef __SANITIZE_THREAD__
constexpr std::size_t storm = 40;
#else
constexpr std::size_t storm = 250;
#endif

struct nodes : mallard::shared_by_threads<nodes, mallard::concurrent_multipool<>> {};
struct locked_nodes : mallard::shared_by_threads<locked_nodes, mallard::synchronized<mallard::multipool<>>> {
};
struct checked_nodes
    : mallard::shared_by_threads<checked_nodes, mallard::checked<mallard::concurrent_multipool<>>> {};
struct own_nodes : mallard::per_thread<own_nodes, mallard::multipool<>> {};

struct order : mallard::pooled<order> {
    std::array<char, 40> text{};
};
struct travelling : mallard::pooled<travelling, nodes> {
    std::array<char, 56> text{};
};

/// An upstream that is a pool of the process itself: one lock within another.
struct over_locked_nodes {
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        return locked_nodes::pool().allocate(bytes, alignment);
    }
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        locked_nodes::pool().deallocate(p, bytes, alignment);
    }
};
struct stacked_nodes
    : mallard::shared_by_threads<stacked_nodes, mallard::concurrent_multipool<over_locked_nodes>> {};

template <class Pool>
int use(Pool& pool, std::size_t bytes) {
    std::array<void*, 40> blocks{};
    for (void*& p : blocks) {
        p = pool.allocate(bytes, 8);
        std::memset(p, 0x5A, bytes);
    }
    int wrong = 0;
    for (void* p : blocks) {
        wrong += static_cast<const unsigned char*>(p)[bytes - 1] == 0x5A ? 0 : 1;
        pool.deallocate(p, bytes, 8);
    }
    return wrong;
}

/// Returns: the number of blocks that lost their contents.
int use_all(std::size_t turn) {
    const std::size_t bytes = 8 + turn * 40 % 1500;
    int wrong = use(nodes::pool(), bytes);
    wrong += use(locked_nodes::pool(), bytes);
    wrong += use(checked_nodes::pool(), bytes);
    wrong += use(stacked_nodes::pool(), bytes);
    wrong += use(own_nodes::pool(), bytes);
    delete new order;
    delete new travelling;
    mallard::multipool<> brief;
    wrong += use(brief, bytes);
    mallard::concurrent_multipool<> brief_and_shared;
    wrong += use(brief_and_shared, bytes);
    mallard::heap<> heap;
    wrong += use(heap, bytes);
    void* const chunk = mallard::chunk_cache::allocate(200000 + bytes);
    mallard::chunk_cache::deallocate(chunk, 200000 + bytes);
    return wrong;
}

class forks_of_threads : public ::testing::Test {
protected:
    ~forks_of_threads() override {
        mallard::chunk_cache::set_limits({});
        mallard::chunk_cache::trim();
    }
};

TEST_F(forks_of_threads, release_all_locks_in_the_child) {
    // Small limits, so that requests often reach the shared bins.
    mallard::chunk_cache::set_limits({.thread_bytes = 32 << 10, .shared_bytes = 1 << 20});
    ASSERT_EQ(use_all(0), 0);
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> busy;
    for (std::size_t id = 0; id < 3; ++id) {
        busy.emplace_back([&, id] {
            for (std::size_t turn = id; !done; ++turn) {
                wrong += use_all(turn);
            }
        });
    }
    // Short-lived threads, which return all their memory when they exit.
    busy.emplace_back([&] {
        while (!done) {
            std::thread([&] { wrong += use_all(7); }).join();
        }
    });
    for (std::size_t round = 0; round < storm; ++round) {
        const process::ending ended = process::run_in_child([round] {
            int lost = use_all(round) + use_all(round + 1);
            // The other threads do not exist here; nothing may wait for memory that they were about to return.
            nodes::pool().release();
            stacked_nodes::pool().release();
            mallard::chunk_cache::trim();
            return lost + use_all(round);
        });
        EXPECT_EQ(ended, process::ending::by_itself_with(0));
        if (ended != process::ending::by_itself_with(0)) {
            break;
        }
    }
    done = true;
    for (std::thread& t : busy) {
        t.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST_F(forks_of_threads, keep_the_chunk_cache_usable_in_the_child) {
    mallard::chunk_cache::set_limits({.thread_bytes = 0, .shared_bytes = 1 << 20});
    const auto work = [] {
        for (std::size_t i = 0; i < 50; ++i) {
            void* const p = mallard::chunk_cache::allocate(256);
            mallard::chunk_cache::deallocate(p, 256);
        }
    };
    std::atomic<bool> done = false;
    std::vector<std::thread> busy;
    for (int id = 0; id < 3; ++id) {
        busy.emplace_back([&] {
            while (!done) {
                work();
            }
        });
    }
    process::ending ended = process::ending::by_itself_with(0);
    for (std::size_t round = 0; round < storm && ended == process::ending::by_itself_with(0); ++round) {
        ended = process::run_in_child([&] {
            work();
            mallard::chunk_cache::trim();
            return 0;
        });
    }
    done = true;
    for (std::thread& t : busy) {
        t.join();
    }
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

/// The caller of fork() holds the lock of an allocator that a thread or an object owns.
TEST_F(forks_of_threads, can_be_prepared_for_a_callers_allocator) {
    mallard::concurrent_multipool<> shared;
    mallard::synchronized<mallard::multipool<>> locked;
    mallard::checked<mallard::synchronized<mallard::multipool<>>> checked;
    std::atomic<bool> done = false;
    std::vector<std::thread> busy;
    for (int id = 0; id < 3; ++id) {
        busy.emplace_back([&] {
            while (!done) {
                static_cast<void>(use(shared, 3000) + use(locked, 3000) + use(checked, 30));
            }
        });
    }
    process::ending ended = process::ending::by_itself_with(0);
    for (std::size_t round = 0; round < storm && ended == process::ending::by_itself_with(0); ++round) {
        shared.lock_for_fork();
        locked.lock_for_fork();
        checked.lock_for_fork();
        ended = process::run_in_child(
            [&] {
                const int wrong = use(shared, 3000) + use(locked, 3000) + use(checked, 30);
                shared.release();
                return wrong;
            },
            [&] {
                checked.unlock_after_fork();
                locked.unlock_after_fork();
                shared.unlock_after_fork();
            });
    }
    done = true;
    for (std::thread& t : busy) {
        t.join();
    }
    EXPECT_EQ(ended, process::ending::by_itself_with(0));
}

} // namespace

#endif

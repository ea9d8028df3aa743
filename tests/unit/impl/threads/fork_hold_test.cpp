#include "process/child.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

std::mutex outer;
std::mutex inner;
int times_unlocked = 0;

/// A fork takes ten milliseconds where AddressSanitizer has shadows of all memory.
constexpr int rounds = 25;

constinit mallard::threads::fork_hold outer_hold{
    .lock = []() noexcept { outer.lock(); },
    .try_lock = []() noexcept { return outer.try_lock(); },
    .unlock =
        []() noexcept {
            ++times_unlocked;
            outer.unlock();
        },
};
constinit mallard::threads::fork_hold inner_hold{
    .lock = []() noexcept { inner.lock(); },
    .try_lock = []() noexcept { return inner.try_lock(); },
    .unlock = []() noexcept { inner.unlock(); },
};

TEST(fork_hold, is_locked_during_fork_only) {
    times_unlocked = 0;
    {
        const mallard::threads::held_while_loaded held(outer_hold);
        EXPECT_EQ(process::run_in_child([] { return outer.try_lock() ? times_unlocked : 10; }),
                  process::ending::by_itself_with(1));
        EXPECT_GE(times_unlocked, 1);
        EXPECT_TRUE(outer.try_lock());
        outer.unlock();
    }
    const int old_count = times_unlocked;
    EXPECT_EQ(process::run_in_child([] { return 0; }), process::ending::by_itself_with(0));
    EXPECT_EQ(times_unlocked, old_count) << "it was let go";
}

TEST(fork_hold, is_let_go_in_any_order) {
    mallard::threads::hold_at_fork(outer_hold);
    {
        const mallard::threads::held_while_loaded later(inner_hold);
        mallard::threads::let_go_at_fork(outer_hold);
        times_unlocked = 0;
        EXPECT_EQ(process::run_in_child([] { return 0; }), process::ending::by_itself_with(0));
        EXPECT_EQ(times_unlocked, 0);
    }
    outer_hold.next = nullptr;
    inner_hold.next = nullptr;
}

TEST(fork_hold, nests_across_threads_in_any_order) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the sanitizer warns of locks that are taken in any order";
#endif
    const mallard::threads::held_while_loaded first(outer_hold);
    const mallard::threads::held_while_loaded second(inner_hold);
    std::atomic<bool> done = false;
    std::thread in_order([&] {
        while (!done) {
            const std::scoped_lock one(outer);
            const std::scoped_lock lock(inner);
        }
    });
    for (int round = 0; round < rounds; ++round) {
        EXPECT_EQ(process::run_in_child([] { return outer.try_lock() && inner.try_lock() ? 0 : 1; }),
                  process::ending::by_itself_with(0));
    }
    done = true;
    in_order.join();
    // The one entered last stands in front, so the order has to be turned as well.
    done = false;
    std::thread turned([&] {
        while (!done) {
            const std::scoped_lock one(inner);
            const std::scoped_lock lock(outer);
        }
    });
    for (int round = 0; round < rounds; ++round) {
        EXPECT_EQ(process::run_in_child([] { return outer.try_lock() && inner.try_lock() ? 0 : 1; }),
                  process::ending::by_itself_with(0));
    }
    done = true;
    turned.join();
}

TEST(fork_hold, allocators_shared_by_threads_provide_hold) {
    static_assert(mallard::threads::locked_for_fork<mallard::concurrent_multipool<>>);
    static_assert(mallard::threads::locked_for_fork<mallard::synchronized<mallard::multipool<>>>);
    static_assert(mallard::threads::locked_for_fork<mallard::checked<mallard::concurrent_multipool<>>>);
    static_assert(!mallard::threads::locked_for_fork<mallard::multipool<>>);
    mallard::checked<mallard::synchronized<mallard::multipool<>>> pool;
    ASSERT_TRUE(pool.try_lock_for_fork());
    std::thread([&] { EXPECT_FALSE(pool.try_lock_for_fork()); }).join();
    pool.unlock_after_fork();
    pool.deallocate(pool.allocate(24), 24);
}

} // namespace

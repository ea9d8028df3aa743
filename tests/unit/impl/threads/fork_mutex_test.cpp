#include <mallard/impl/threads/fork_mutex.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace {

using mallard::threads::fork_mutex;

bool second_thread_can_lock(fork_mutex& mutex) {
    bool locked = false;
    std::thread([&] {
        locked = mutex.try_lock();
        if (locked) {
            mutex.unlock();
        }
    }).join();
    return locked;
}

TEST(fork_mutex_of_threads, is_mutually_exclusive) {
    fork_mutex mutex;
    {
        const std::scoped_lock lock(mutex);
        EXPECT_FALSE(second_thread_can_lock(mutex));
        EXPECT_FALSE(mutex.is_locked_again());
    }
    EXPECT_TRUE(second_thread_can_lock(mutex));
}

TEST(fork_mutex_of_threads, is_locked_again_by_the_forking_thread) {
    fork_mutex mutex;
    mutex.lock_for_fork();
    EXPECT_FALSE(mutex.is_locked_again());
    {
        const std::scoped_lock outer(mutex);
        ASSERT_TRUE(mutex.try_lock());
        EXPECT_TRUE(mutex.is_locked_again());
        mutex.unlock();
        EXPECT_FALSE(second_thread_can_lock(mutex));
    }
    EXPECT_FALSE(mutex.is_locked_again());
    EXPECT_FALSE(second_thread_can_lock(mutex)) << "the fork is not over";
    mutex.unlock_after_fork();
    EXPECT_TRUE(second_thread_can_lock(mutex));
}

TEST(fork_mutex_of_threads, is_not_locked_again_without_a_fork) {
    fork_mutex mutex;
    mutex.lock_for_fork();
    mutex.unlock_after_fork();
    const std::scoped_lock lock(mutex);
    EXPECT_FALSE(mutex.try_lock_for_fork());
    EXPECT_FALSE(mutex.try_lock());
}

TEST(fork_mutex_of_threads, may_be_of_any_type) {
    std::mutex plain;
    mallard::threads::lock_for_fork(plain);
    std::thread([&] { EXPECT_FALSE(mallard::threads::try_lock_for_fork(plain)); }).join();
    mallard::threads::unlock_after_fork(plain);
    ASSERT_TRUE(mallard::threads::try_lock_for_fork(plain));
    mallard::threads::unlock_after_fork(plain);
}

} // namespace

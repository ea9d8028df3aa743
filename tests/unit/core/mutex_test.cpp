#include <mallard/core/mutex.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace {

using mallard::core::lock_guard;
using mallard::core::mutex;

constinit mutex shared;

TEST(mutex_of_threads, is_held_by_guard) {
    const auto another_thread_can_lock = [] {
        bool locked = false;
        std::thread([&] {
            locked = shared.try_lock();
            if (locked) {
                shared.unlock();
            }
        }).join();
        return locked;
    };
    {
        const lock_guard lock(shared);
        EXPECT_FALSE(another_thread_can_lock());
    }
    EXPECT_TRUE(another_thread_can_lock());
}

TEST(lock_guard, takes_any_mutex) {
    struct counting {
        int locked = 0;
        void lock() { ++locked; }
        void unlock() { --locked; }
    } counted;
    {
        const lock_guard lock(counted);
        EXPECT_EQ(counted.locked, 1);
    }
    EXPECT_EQ(counted.locked, 0);
}

} // namespace

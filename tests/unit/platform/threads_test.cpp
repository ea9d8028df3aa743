#include "platform/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#if defined(__linux__)

namespace {

namespace platform = mallard::platform;

/// A signal would end this process.
TEST(has_ended, asks_for_a_living_thread_without_a_signal) {
    std::atomic<long> number{0};
    std::atomic<bool> may_end{false};
    std::thread other([&] {
        number = platform::this_thread();
        while (!may_end) {
            platform::yield();
        }
    });
    while (number == 0) {
        platform::yield();
    }
    EXPECT_FALSE(platform::has_ended(platform::this_process(), number));
    EXPECT_TRUE(platform::has_ended(platform::this_process(), platform::this_thread())) << "the caller";
    may_end = true;
    other.join();
    while (!platform::has_ended(platform::this_process(), number)) { // join() may return a little earlier
        platform::yield();
    }
}

} // namespace

#endif

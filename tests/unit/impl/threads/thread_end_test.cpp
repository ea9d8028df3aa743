#include <mallard/impl/threads/thread_end.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

/// The events in a thread that has ended, in their order.
std::string happened;

constinit thread_local mallard::threads::thread_end_task first_task{};
constinit thread_local mallard::threads::thread_end_task second_task{};

struct thread_local_object {
    ~thread_local_object() { happened += "object "; }
};

TEST(thread_end, runs_following_thread_local_destructors) {
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept { happened += "task "; };
        mallard::threads::at_thread_end(first_task);
        static thread_local const thread_local_object later_object;
        static_cast<void>(&later_object);
        happened += "body ";
    }).join();
    EXPECT_EQ(happened, "body object task ");
}

TEST(thread_end, runs_the_newest_task_of_a_thread_first) {
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept { happened += "first "; };
        second_task.run = []() noexcept { happened += "second "; };
        mallard::threads::at_thread_end(first_task);
        mallard::threads::at_thread_end(second_task);
    }).join();
    EXPECT_EQ(happened, "second first ");
}

TEST(thread_end, task_can_register_again) {
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept {
            happened += "task ";
            if (happened.size() < 10) {
                mallard::threads::at_thread_end(first_task);
            }
        };
        mallard::threads::at_thread_end(first_task);
    }).join();
    EXPECT_EQ(happened, "task task ");
}

TEST(thread_end, chunk_cache_works_at_thread_exit) {
    // The first chunk that this thread returns; LeakSanitizer would find it if it waited for the thread's
    // end.
    std::thread([] {
        first_task.run = []() noexcept {
            mallard::chunk_cache::deallocate(mallard::chunk_cache::allocate(100), 100);
            happened = std::to_string(mallard::chunk_cache::stats().thread_bytes);
        };
        mallard::threads::at_thread_end(first_task);
    }).join();
    EXPECT_EQ(happened, "0");
}

TEST(thread_end, shared_pools_work_at_thread_exit) {
    mallard::concurrent_multipool<> pool;
    static mallard::concurrent_multipool<>* used;
    used = &pool;
    std::thread([] {
        first_task.run = []() noexcept { used->deallocate(used->allocate(24, 8), 24, 8); };
        mallard::threads::at_thread_end(first_task);
    }).join();
    pool.release(); // would access the magazines of an exited thread
    EXPECT_EQ(pool.stats().chunks, 0U);
}

TEST(thread_end, runs_on_registering_thread) {
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept { happened += "of the first thread "; };
        mallard::threads::at_thread_end(first_task);
        std::thread([] {}).join();
        happened += "body ";
    }).join();
    EXPECT_EQ(happened, "body of the first thread ");
}

} // namespace

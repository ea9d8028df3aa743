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

struct ends_with_its_thread {
    ~ends_with_its_thread() { happened += "object "; }
};

TEST(thread_end, comes_after_the_ends_of_thread_local_objects) {
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept { happened += "task "; };
        mallard::threads::at_thread_end(first_task);
        static thread_local const ends_with_its_thread made_later;
        static_cast<void>(&made_later);
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

TEST(thread_end, lets_a_task_of_a_thread_ask_for_itself_again) {
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

TEST(thread_end, tells_a_task_that_the_thread_is_ending) {
    EXPECT_FALSE(mallard::threads::thread_is_ending());
    happened.clear();
    std::thread([] {
        first_task.run = []() noexcept {
            happened += mallard::threads::thread_is_ending() ? "ending" : "not ending";
        };
        mallard::threads::at_thread_end(first_task);
        happened += mallard::threads::thread_is_ending() ? "ending, " : "not ending, ";
    }).join();
    EXPECT_EQ(happened, "not ending, ending");
}

TEST(thread_end, finds_the_cache_of_chunks_served_without_what_a_thread_keeps) {
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

TEST(thread_end, finds_shared_pools_served_without_magazines_of_the_thread) {
    mallard::concurrent_multipool<> pool;
    static mallard::concurrent_multipool<>* used;
    used = &pool;
    std::thread([] {
        first_task.run = []() noexcept { used->deallocate(used->allocate(24, 8), 24, 8); };
        mallard::threads::at_thread_end(first_task);
    }).join();
    pool.release(); // would reach for the magazines of a thread that has gone
    EXPECT_EQ(pool.stats().chunks, 0U);
}

TEST(thread_end, belongs_to_the_thread_that_asked) {
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

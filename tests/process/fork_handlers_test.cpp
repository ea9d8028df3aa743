// Handlers of pthread_atfork() use allocators, whether they were registered before those of the library or after them.
#include "process/child.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace {

struct nodes : mallard::shared_by_threads<nodes, mallard::concurrent_multipool<>> {};
struct locked_nodes : mallard::shared_by_threads<locked_nodes, mallard::synchronized<mallard::multipool<>>> {
};
struct checked_nodes
    : mallard::shared_by_threads<checked_nodes, mallard::checked<mallard::concurrent_multipool<>>> {};
struct late_nodes : mallard::shared_by_threads<late_nodes, mallard::synchronized<mallard::multipool<>>> {};

template <class Pool>
void use_pool(Pool& pool, std::size_t bytes) {
    std::array<void*, 10> blocks{};
    for (void*& p : blocks) {
        p = pool.allocate(bytes, 8);
    }
    for (void* const p : blocks) {
        pool.deallocate(p, bytes, 8);
    }
}

void use_all() {
    for (const std::size_t bytes : {std::size_t{24}, std::size_t{9000}}) {
        use_pool(nodes::pool(), bytes);
        use_pool(locked_nodes::pool(), bytes);
        use_pool(checked_nodes::pool(), bytes);
    }
    mallard::monotonic<> chunks;
    static_cast<void>(chunks.allocate(100000, 8));
    mallard::concurrent_multipool<> brief;
    use_pool(brief, 24);
}

bool handlers_allocate = false;
int times_early = 0;
int times_late = 0;

void allocate_early() {
    if (handlers_allocate) {
        ++times_early;
        use_all();
        use_pool(late_nodes::pool(), 24);
    }
}

/// All locks are free, so any thread may go on.
void allocate_late() {
    if (handlers_allocate) {
        ++times_late;
        use_all();
        std::thread(use_all).join();
    }
}

void use_all_late() {
    if (handlers_allocate) {
        ++times_late;
        use_all();
    }
}

/// Of the library's priority and in front of it for the linker, so it runs first.
[[gnu::constructor(101)]] void register_early() {
    pthread_atfork(allocate_early, allocate_early, allocate_early);
}

struct registers_late {
    registers_late() { pthread_atfork(allocate_late, use_all_late, use_all_late); }
};
const registers_late at_load;

class fork_handlers_of_threads : public ::testing::Test {
protected:
    fork_handlers_of_threads() {
        // Chunks and caches are shared, so that all locks are needed.
        mallard::chunk_cache::set_limits({.thread_bytes = 0, .shared_bytes = 1 << 20});
        use_all();
    }
    ~fork_handlers_of_threads() override {
        handlers_allocate = false;
        mallard::chunk_cache::set_limits({});
        mallard::chunk_cache::trim();
    }
};

TEST_F(fork_handlers_of_threads, may_allocate_in_any_order) {
    times_early = 0;
    times_late = 0;
    handlers_allocate = true;
    EXPECT_EQ(process::run_in_child([] {
                  handlers_allocate = false;
                  use_all();
                  use_pool(late_nodes::pool(), 24);
                  return times_early == 2 && times_late == 2 ? 0 : 1;
              }),
              process::ending::by_itself_with(0));
    EXPECT_EQ(times_early, 2);
    EXPECT_EQ(times_late, 2);
    std::thread([] {
        use_all();
        use_pool(late_nodes::pool(), 24);
    }).join();
}

std::atomic<bool> pool_is_begun = false;

/// Takes long to make.
struct slow_pool : mallard::synchronized<mallard::multipool<>> {
    slow_pool() {
        pool_is_begun = true;
        pool_is_begun.notify_all();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
};

} // namespace

template <>
inline constexpr bool mallard::thread_safe<slow_pool> = true;

namespace {

struct slow_nodes : mallard::shared_by_threads<slow_nodes, slow_pool> {};

/// The test holds with any time that the pool takes. The thread lives on until the child has ended, because ThreadSanitizer
/// reports in the child a thread that ended before the fork and was not joined.
TEST_F(fork_handlers_of_threads, wait_for_the_first_use_of_pools) {
    std::atomic<bool> child_has_ended = false;
    std::thread first([&] {
        use_pool(slow_nodes::pool(), 24);
        child_has_ended.wait(false);
    });
    pool_is_begun.wait(false);
    EXPECT_EQ(process::run_in_child([] {
                  use_pool(slow_nodes::pool(), 24);
                  return 0;
              }),
              process::ending::by_itself_with(0));
    child_has_ended = true;
    child_has_ended.notify_all();
    first.join();
}

} // namespace

// A process that ends while its allocators are used: by static objects of several translation units, by functions of
// atexit(), by thread_local objects, and by detached threads.
#include "process/child.hpp"
#include "process/end_of_process.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <thread>

namespace {

using end_of_process::use_everything;
using end_of_process::user_at_end;

const user_at_end first_object{4};

/// Effects: ends a child by exit(), after `work()`.
template <class Work>
process::ending run_and_exit(Work work) {
    const pid_t child = process::fork_cleanly();
    if (child == 0) {
        alarm(120);
        process::last_object.in_child = true;
        work();
        std::exit(1);
    }
    return process::wait_for(child);
}

void make_objects() {
    std::atexit([] { use_everything(1); });
    end_of_process::make_objects_of_one();
    static const user_at_end late_object{5};
    static thread_local const user_at_end of_the_thread{6};
    use_everything(late_object.seed + of_the_thread.seed);
    std::atexit([] { use_everything(2); });
}

TEST(end_of_process, leaves_every_allocator_usable) {
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(run_and_exit(make_objects), process::ending::by_itself_with(0));
    }
}

// ThreadSanitizer allows no thread in the child of a process that had several.
#ifndef __SANITIZE_THREAD__
TEST(end_of_process, may_come_while_threads_work) {
    for (int round = 0; round < 20; ++round) {
        const process::ending ended = run_and_exit([] {
            make_objects();
            static std::atomic<int> begun = 0;
            for (std::size_t id = 0; id < 3; ++id) {
                std::thread([id] {
                    ++begun;
                    for (std::size_t turn = id;; ++turn) {
                        use_everything(turn);
                    }
                }).detach();
            }
            while (begun < 3) {
                std::this_thread::yield();
            }
        });
        EXPECT_EQ(ended, process::ending::by_itself_with(0));
    }
}

TEST(end_of_process, may_come_while_threads_end) {
    for (int round = 0; round < 20; ++round) {
        const process::ending ended = run_and_exit([] {
            static std::atomic<int> ended_threads = 0;
            std::thread([] {
                for (;;) {
                    std::thread([] {
                        static thread_local const user_at_end of_the_thread{2};
                        use_everything(of_the_thread.seed);
                    }).join();
                    ++ended_threads;
                }
            }).detach();
            while (ended_threads < 3) {
                std::this_thread::yield();
            }
        });
        EXPECT_EQ(ended, process::ending::by_itself_with(0));
    }
}
#endif

// With some compilers' runtimes the child finds AddressSanitizer's own locks held, and takes the memory of the parent's
// threads for leaks.
#ifndef MALLARD_ASAN
TEST(end_of_process, in_a_child_ignores_threads_of_the_parent) {
    std::atomic<bool> done = false;
    std::thread busy([&] {
        for (std::size_t turn = 0; !done; ++turn) {
            std::thread([turn] { use_everything(turn); }).join();
        }
    });
    for (int round = 0; round < 60; ++round) {
        EXPECT_EQ(run_and_exit([] { use_everything(3); }), process::ending::by_itself_with(0));
    }
    done = true;
    busy.join();
}
#endif

} // namespace

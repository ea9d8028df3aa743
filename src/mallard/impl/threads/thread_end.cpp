#include "../../platform/threads.hpp"

#include <mallard/impl/threads/process_mark.hpp>
#include <mallard/impl/threads/thread_end.hpp>

#include <utility>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

namespace {

constinit MALLARD_THREAD_LOCAL thread_end_task* newest_task = nullptr;
constinit MALLARD_THREAD_LOCAL thread_end_task* newest_to_close = nullptr;
constinit MALLARD_THREAD_LOCAL bool ending = false;
constinit MALLARD_THREAD_LOCAL bool tasks_closed = false;

void run_all(thread_end_task*& list) noexcept {
    while (list != nullptr) {
        const thread_end_task* const task = std::exchange(list, list->next);
        task->run();
    }
}

void close() noexcept {
    tasks_closed = true;
    run_all(newest_to_close);
}

/// The system keeps a library loaded while a thread has an object with a destructor in it.
struct closer {
    ~closer() { close(); }
};

/// The threads in run_tasks().
constinit threads_inside running;

void run_tasks() noexcept {
    running.enter();
    ending = true;
    close();
    run_all(newest_task);
    running.leave();
}

/// Threads call run_tasks() from when the library is loaded until it is unloaded.
struct loaded_library {
    loaded_library() { platform::call_at_thread_end(run_tasks); }
    loaded_library(const loaded_library&) = delete;
    loaded_library& operator=(const loaded_library&) = delete;
    ~loaded_library() {
        platform::end_calls_at_thread_end();
        while (!ending && running.any()) {
            platform::yield();
        }
    }
};

const loaded_library library;

/// Effects: has tasks run at the end of this thread: by the system at any time, and by the closer unless that has
/// run.
void expect_end() noexcept {
    if (!tasks_closed) {
        static MALLARD_THREAD_LOCAL const closer when_closing;
        static_cast<void>(&when_closing);
    }
    platform::call_at_thread_end(run_tasks); // a thread may be faster than the initialisation of `library`
    platform::expect_thread_end();
}

} // namespace

void at_thread_end(thread_end_task& task) noexcept {
    expect_end();
    task.next = std::exchange(newest_task, &task);
}

void at_thread_close(thread_end_task& task) noexcept {
    expect_end();
    task.next = std::exchange(newest_to_close, &task);
}

bool thread_has_closed() noexcept {
    return tasks_closed;
}

}} // namespace mallard::threads::MALLARD_LIBRARY

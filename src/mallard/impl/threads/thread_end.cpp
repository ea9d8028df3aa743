#include <mallard/impl/threads/process_mark.hpp>
#include <mallard/impl/threads/thread_end.hpp>

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

namespace mallard::threads::inline MALLARD_LIBRARY {

namespace {

constinit thread_local thread_end_task* newest_task = nullptr;
constinit thread_local thread_end_task* newest_to_close = nullptr;
constinit thread_local bool ending = false;
constinit thread_local bool tasks_closed = false;

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

void run_tasks(void*) noexcept {
    running.enter();
    ending = true;
    close();
    run_all(newest_task);
    running.leave();
}

/// The key of the system's thread-specific data. Never destroyed: threads may outlive the objects with static storage
/// duration.
class end_key {
public:
    /// Effects: has run_tasks() called at the end of the calling thread, unless the system has no key.
    void expect_end() noexcept {
        if (const std::uint64_t key = find(); key != none && key != deleted) {
            pthread_setspecific(static_cast<pthread_key_t>(key - 1), this); // any value but null
        }
    }

    /// Effects: has no thread call run_tasks() any more.
    void end() noexcept {
        if (const std::uint64_t key = key_.exchange(deleted); key != none && key != deleted) {
            pthread_key_delete(static_cast<pthread_key_t>(key - 1));
        }
    }

    /// Returns: one more than the key; `none` if the system has no key; `deleted` after end().
    std::uint64_t find() noexcept {
        std::uint64_t key_value = key_.load(std::memory_order_acquire);
        pthread_key_t key{};
        if (key_value != none || pthread_key_create(&key, run_tasks) != 0) {
            return key_value;
        }
        if (key_.compare_exchange_strong(key_value, std::uint64_t{key} + 1)) {
            return std::uint64_t{key} + 1;
        }
        pthread_key_delete(key); // another thread was faster
        return key_value;
    }

private:
    static constexpr std::uint64_t none = 0;
    static constexpr std::uint64_t deleted = ~std::uint64_t{0};

    std::atomic<std::uint64_t> key_{none};
};

constinit end_key key_of_ends;

/// Makes the key when the library is loaded, and deletes it when the library is unloaded with run_tasks().
struct loaded_library {
    loaded_library() { static_cast<void>(key_of_ends.find()); }
    loaded_library(const loaded_library&) = delete;
    loaded_library& operator=(const loaded_library&) = delete;
    ~loaded_library() {
        key_of_ends.end();
        while (!ending && running.any()) {
            std::this_thread::yield();
        }
    }
};

const loaded_library library;

/// Effects: has tasks run at the end of this thread: by the key at any time, and by the closer unless that has
/// run.
void expect_end() noexcept {
    if (!tasks_closed) {
        static thread_local const closer when_closing;
        static_cast<void>(&when_closing);
    }
    key_of_ends.expect_end();
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

bool thread_is_ending() noexcept {
    return ending;
}

bool thread_has_closed() noexcept {
    return tasks_closed;
}

} // namespace mallard::threads::inline MALLARD_LIBRARY

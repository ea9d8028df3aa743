#include <mallard/threads/fork_hold.hpp>
#include <mallard/threads/thread_end.hpp>

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <new>
#include <thread>
#include <utility>

namespace mallard::threads::inline MALLARD_LIBRARY {

namespace {

constinit thread_local thread_end_task* newest = nullptr;
constinit thread_local thread_end_task* newest_to_close = nullptr;
constinit thread_local bool ending = false;
constinit thread_local bool closed = false;

void run_all(thread_end_task*& list) noexcept {
    while (list != nullptr) {
        const thread_end_task* const task = std::exchange(list, list->next);
        task->run();
    }
}

void close() noexcept {
    closed = true;
    run_all(newest_to_close);
}

/// The system keeps a library loaded while a thread has an object with a destructor in it.
struct closer {
    ~closer() { close(); }
};

/// The number of threads in run_tasks().
constinit std::atomic<int> running{0};

void run_tasks(void*) noexcept {
    running.fetch_add(1, std::memory_order_relaxed);
    ending = true;
    close();
    run_all(newest);
    running.fetch_sub(1, std::memory_order_release);
}

/// The child of a fork has no thread in run_tasks().
constinit fork_hold held_at_fork{
    .lock = []() noexcept {},
    .try_lock = []() noexcept { return true; },
    .unlock =
        [](bool in_child) noexcept {
            if (in_child) {
                running.store(0, std::memory_order_relaxed);
            }
        },
};

/// Never destroyed: threads may outlive the objects with static storage duration.
struct end_of_thread {
    pthread_key_t key{};
    std::atomic<bool> exists = pthread_key_create(&key, run_tasks) == 0;
};

end_of_thread& end_of_threads() noexcept {
    static end_of_thread* const end = [] {
        alignas(end_of_thread) static std::byte storage[sizeof(end_of_thread)];
        return ::new (static_cast<void*>(storage)) end_of_thread;
    }();
    return *end;
}

/// Makes the key when the library is loaded, and deletes it when the library is unloaded with run_tasks().
struct loaded_library {
    loaded_library() { end_of_threads(); }
    loaded_library(const loaded_library&) = delete;
    loaded_library& operator=(const loaded_library&) = delete;
    ~loaded_library() {
        end_of_thread& end = end_of_threads();
        if (end.exists.exchange(false)) {
            pthread_key_delete(end.key);
        }
        while (!ending && running.load(std::memory_order_acquire) > 0) {
            std::this_thread::yield();
        }
    }
};

const loaded_library library;
const held_while_loaded tasks_while_loaded(held_at_fork);

/// Effects: has tasks run at the end of this thread: by the key at any time, and by the closer unless that has
/// run.
void expect_end() noexcept {
    if (!closed) {
        static thread_local const closer when_closing;
        static_cast<void>(&when_closing);
    }
    end_of_thread& end = end_of_threads();
    if (end.exists.load(std::memory_order_relaxed)) {
        pthread_setspecific(end.key, &end); // any value but null
    }
}

} // namespace

void at_thread_end(thread_end_task& task) noexcept {
    expect_end();
    task.next = std::exchange(newest, &task);
}

void at_thread_close(thread_end_task& task) noexcept {
    expect_end();
    task.next = std::exchange(newest_to_close, &task);
}

bool thread_is_ending() noexcept {
    return ending;
}

bool thread_has_closed() noexcept {
    return closed;
}

} // namespace mallard::threads::inline MALLARD_LIBRARY

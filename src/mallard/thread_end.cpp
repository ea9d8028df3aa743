#include <mallard/core/thread_end.hpp>

#include <pthread.h>

#include <utility>

namespace mallard::inline MALLARD_LIBRARY {

namespace {

constinit thread_local thread_end_task* newest = nullptr;
constinit thread_local bool ending = false;

void run_tasks(void*) noexcept {
    ending = true;
    while (newest != nullptr) {
        const thread_end_task* const task = std::exchange(newest, newest->next);
        task->run();
    }
}

/// The system destroys thread-specific data after thread_local objects, and not at all where main() returns.
struct end_of_thread {
    end_of_thread() = default;
    end_of_thread(const end_of_thread&) = delete;
    end_of_thread& operator=(const end_of_thread&) = delete;

    /// A library that is unloaded takes run_tasks() with it.
    ~end_of_thread() {
        if (exists) {
            pthread_key_delete(key);
        }
    }

    pthread_key_t key{};
    bool exists = pthread_key_create(&key, run_tasks) == 0;
};

} // namespace

void at_thread_end(thread_end_task& task) noexcept {
    static const end_of_thread end;
    task.next = std::exchange(newest, &task);
    if (end.exists) {
        pthread_setspecific(end.key, &task); // any value: what matters is that there is one
    }
}

bool thread_is_ending() noexcept {
    return ending;
}

} // namespace mallard::inline MALLARD_LIBRARY

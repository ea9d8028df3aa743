/// A function that the system calls when a thread ends.
#pragma once

#include <pthread.h>

#include <atomic>

namespace mallard::recorder {

/// Owner: static storage. The first thread creates the key.
class thread_end {
public:
    /// Requires: `run` tolerates later events of the thread.
    explicit constexpr thread_end(void (*run)(void*)) noexcept : run_(run) {}

    /// Effects: has `run(value)` called when the calling thread ends.
    /// Returns: false if the program has used up all keys of thread-specific data.
    bool expect(void* value) noexcept {
        enum : int { unset, creating, ready, none };
        int expected = unset;
        if (step_.compare_exchange_strong(expected, creating)) {
            step_.store(::pthread_key_create(&key_, run_) == 0 ? ready : none, std::memory_order_release);
        }
        int step = creating;
        while (step == creating) {
            step = step_.load(std::memory_order_acquire);
        }
        return step == ready && ::pthread_setspecific(key_, value) == 0;
    }

private:
    void (*run_)(void*);
    pthread_key_t key_{};
    std::atomic<int> step_{0};
};

} // namespace mallard::recorder

/// A function that the system calls when a thread ends.
#pragma once

#include <pthread.h>

#include <atomic>

namespace mallard::recorder {

/// Owner: static storage. It makes its key when the first thread asks.
class thread_end {
public:
    /// Requires: `run` tolerates events of the thread after it.
    explicit constexpr thread_end(void (*run)(void*)) noexcept : run_(run) {}

    /// Effects: has `run(value)` called when the calling thread ends.
    /// Returns: false if that will not happen, because the program has taken every key of thread-specific data.
    bool expect(void* value) noexcept {
        enum : int { not_made, in_making, made, none };
        int expected = not_made;
        if (step_.compare_exchange_strong(expected, in_making)) {
            step_.store(::pthread_key_create(&key_, run_) == 0 ? made : none, std::memory_order_release);
        }
        int step = in_making;
        while (step == in_making) {
            step = step_.load(std::memory_order_acquire);
        }
        return step == made && ::pthread_setspecific(key_, value) == 0;
    }

private:
    void (*run_)(void*);
    pthread_key_t key_{};
    std::atomic<int> step_{0};
};

} // namespace mallard::recorder

#include "threads.hpp"

#include <mallard/core/cancellation.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <pthread.h>
#include <sched.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>

#if MALLARD_THREADS && defined(PTHREAD_CANCEL_DISABLE)
namespace mallard::core { inline namespace MALLARD_LIBRARY {

cancellation_disabled::cancellation_disabled() noexcept {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &previous_state_);
}

cancellation_disabled::~cancellation_disabled() {
    int disabled = 0;
    pthread_setcancelstate(previous_state_, &disabled);
}

}} // namespace mallard::core::MALLARD_LIBRARY
#else // such as Android
#include "no_cancellation.hpp"
#endif

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

std::uintptr_t thread_identity() noexcept {
    return std::bit_cast<std::uintptr_t>(pthread_self()); // an integer of Linux, a pointer of others
}

}} // namespace mallard::threads::MALLARD_LIBRARY

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<void (*)() noexcept> at_end{nullptr};

void run_at_end(void* value) noexcept;

/// Destructors of thread_local objects run before all keys with glibc and on macOS. With musl they run under a key of the C++
/// library, perhaps after the one here: the system's next round of keys is behind them.
#if defined(__GLIBC__) || defined(__APPLE__)
constexpr bool waits_a_round = false;
#else
constexpr bool waits_a_round = true;
#endif

/// The key of the system's thread-specific data. Never destroyed: threads may outlive the objects with static storage
/// duration.
class end_key {
public:
    /// Effects: has run_at_end() called at the end of the calling thread, unless the system has no key.
    void expect_end() noexcept {
        if (const std::uint64_t key = find(); key != none && key != deleted) {
            pthread_setspecific(static_cast<pthread_key_t>(key - 1), this); // any value but null
        }
    }

    /// Effects: has run_at_end() called in the next round, by another value.
    /// Returns: false, with no effect, in the second of two rounds.
    bool wait_a_round(const void* value) noexcept {
        return value == this &&
               pthread_setspecific(static_cast<pthread_key_t>(key_.load() - 1), &at_end) == 0;
    }

    void end() noexcept {
        if (const std::uint64_t key = key_.exchange(deleted); key != none && key != deleted) {
            pthread_key_delete(static_cast<pthread_key_t>(key - 1));
        }
    }

    /// Returns: one more than the key; `none` if the system has no key; `deleted` after end().
    std::uint64_t find() noexcept {
        std::uint64_t key_value = key_.load(std::memory_order_acquire);
        pthread_key_t key{};
        if (key_value != none || pthread_key_create(&key, run_at_end) != 0) {
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

void run_at_end(void* value) noexcept {
    if (waits_a_round && key_of_ends.wait_a_round(value)) {
        return;
    }
    at_end.load(std::memory_order_relaxed)();
}

} // namespace

long this_process() noexcept {
    return getpid();
}

long this_thread() noexcept {
#ifdef __linux__
    return syscall(SYS_gettid);
#else
    return 1;
#endif
}

bool has_ended([[maybe_unused]] long process, [[maybe_unused]] long thread) noexcept {
#ifdef __linux__
    const int saved_errno = errno;
    const bool ended =
        thread == this_thread() || (syscall(SYS_tgkill, process, thread, 0) != 0 && errno == ESRCH);
    errno = saved_errno;
    return ended;
#else
    return false;
#endif
}

void yield() noexcept {
    sched_yield();
}

void call_at_fork(void (*before)() noexcept, void (*in_parent)() noexcept,
                  void (*in_child)() noexcept) noexcept {
    pthread_atfork(before, in_parent, in_child);
}

void call_at_thread_end(void (*run)() noexcept) noexcept {
    at_end.store(run, std::memory_order_relaxed);
    static_cast<void>(key_of_ends.find());
}

void expect_thread_end() noexcept {
    key_of_ends.expect_end();
}

void end_calls_at_thread_end() noexcept {
    key_of_ends.end();
}

}} // namespace mallard::platform::MALLARD_LIBRARY

/// A mutex that a thread may hold while it forks, and lock again during the fork.
///
/// A handler of pthread_atfork() that was registered before the library's runs after it in the forking thread, which
/// has all locks of the library then. If such a handler allocates, it locks one of them again.
///
/// Data model: only a lock that is taken for a fork can be locked again, and only by the thread that took it. Otherwise
/// a lock costs that of std::mutex, and a comparison. The forking thread tries the lock that it has: POSIX
/// returns EBUSY in that case; for std::mutex the standard leaves it undefined.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/mutex.hpp>

#include <atomic>
#include <cstdint>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

/// Returns: a number that no other thread has at the time; never 0.
[[nodiscard]] std::uintptr_t thread_identity() noexcept;

class fork_mutex {
public:
    constexpr fork_mutex() noexcept = default;

    void lock() {
        if (!mutex_.try_lock()) [[unlikely]] {
            lock_slowly();
        }
    }

    [[nodiscard]] bool try_lock() noexcept { return mutex_.try_lock() || lock_again(); }

    void unlock() noexcept {
        if (times_again_ != 0) [[unlikely]] {
            --times_again_;
            return;
        }
        mutex_.unlock();
    }

    // ---- for a fork

    /// Requires: the calling thread does not have the lock.
    void lock_for_fork() {
        mutex_.lock();
        forking_thread_.store(thread_identity(), std::memory_order_relaxed);
    }

    /// Requires: the calling thread does not have the lock.
    [[nodiscard]] bool try_lock_for_fork() noexcept {
        if (!mutex_.try_lock()) {
            return false;
        }
        forking_thread_.store(thread_identity(), std::memory_order_relaxed);
        return true;
    }

    /// To be called by the thread that called lock_for_fork(), or by its copy in the child.
    void unlock_after_fork() noexcept {
        forking_thread_.store(0, std::memory_order_relaxed);
        mutex_.unlock();
    }

    /// Returns: true if the calling thread, which has the lock, has it for a fork too.
    [[nodiscard]] bool is_locked_again() const noexcept { return times_again_ != 0; }

private:
    [[gnu::cold, gnu::noinline]] void lock_slowly() {
        if (!lock_again() && !lock_soon()) {
            mutex_.lock();
        }
    }

    /// Effects: tries again for about a microsecond, with fewer tries each time: a thread that sleeps takes several to wake
    /// up, and most owners need a tenth of one.
    [[nodiscard]] bool lock_soon() noexcept {
        for (unsigned pauses = 1; pauses <= 16; pauses *= 2) {
            for (unsigned i = 0; i != pauses; ++i) {
                pause();
            }
            if (mutex_.try_lock()) {
                return true;
            }
        }
        return false;
    }

    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb" ::: "memory"); // yield is a no-op on most of these processors
#endif
    }

    [[nodiscard]] bool lock_again() noexcept {
        // If it is the calling thread, no other thread changes it.
        if (forking_thread_.load(std::memory_order_relaxed) != thread_identity()) {
            return false;
        }
        ++times_again_;
        return true;
    }

    core::mutex mutex_;
    std::atomic<std::uintptr_t> forking_thread_{0};
    unsigned times_again_ = 0; ///< guarded by the mutex
};

/// Effects: locks a mutex of any type for a fork. The calling thread can lock it again only if it is a fork_mutex.
template <class Mutex>
void lock_for_fork(Mutex& mutex) noexcept {
    if constexpr (requires { mutex.lock_for_fork(); }) {
        mutex.lock_for_fork();
    } else {
        mutex.lock();
    }
}

template <class Mutex>
[[nodiscard]] bool try_lock_for_fork(Mutex& mutex) noexcept {
    if constexpr (requires { mutex.try_lock_for_fork(); }) {
        return mutex.try_lock_for_fork();
    } else {
        return mutex.try_lock();
    }
}

template <class Mutex>
void unlock_after_fork(Mutex& mutex) noexcept {
    if constexpr (requires { mutex.unlock_after_fork(); }) {
        mutex.unlock_after_fork();
    } else {
        mutex.unlock();
    }
}

}} // namespace mallard::threads::MALLARD_LIBRARY

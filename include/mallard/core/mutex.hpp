/// The mutex of the library, and a guard of one.
///
///     MALLARD_MUTEX defined      the program's own, of the header MALLARD_MUTEX_HEADER: a type with lock(), try_lock() and
///                                unlock(), whose default constructor is constexpr. For a system of tasks without std::mutex
///     Windows                    a slim lock of the system, because std::mutex of some libraries there is not constexpr
///     MALLARD_THREADS is 0       locks without an effect
///     otherwise                  std::mutex
#pragma once

#include <mallard/core/build_mode.hpp>

#if defined(MALLARD_MUTEX)
#include MALLARD_MUTEX_HEADER
#elif MALLARD_THREADS && !defined(_WIN32)
#include <mutex>
#endif

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// The lock of what one thread uses at a time.
struct no_mutex {
    static constexpr void lock() noexcept {}
    [[nodiscard]] static constexpr bool try_lock() noexcept { return true; }
    static constexpr void unlock() noexcept {}
};

#if defined(MALLARD_MUTEX)
using mutex = MALLARD_MUTEX;
#elif !MALLARD_THREADS
using mutex = no_mutex;
#elif defined(_WIN32)
class mutex {
public:
    constexpr mutex() noexcept = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock() noexcept;
    [[nodiscard]] bool try_lock() noexcept;
    void unlock() noexcept;

private:
    void* word_ = nullptr; ///< an SRWLOCK
};
#else
using mutex = std::mutex;
#endif

/// std::lock_guard, which needs a library with threads.
template <class Mutex>
class [[nodiscard]] lock_guard {
public:
    explicit lock_guard(Mutex& locked) : mutex_(locked) { mutex_.lock(); }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;
    ~lock_guard() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};
template <class Mutex>
lock_guard(Mutex&) -> lock_guard<Mutex>;

}} // namespace mallard::core::MALLARD_LIBRARY

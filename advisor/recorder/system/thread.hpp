/// The calling thread: its end, its cancellation, and the stack of its signal handlers.
#pragma once

#include "recorder/arch/arch.hpp"
#include "recorder/system/byte_cursor.hpp"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>

namespace mallard::recorder {

/// A function that the system calls when a thread ends.
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

/// Work inside of malloc that must not cancel the thread.
///
/// malloc is not a cancellation point, but open, close, read and posix_fallocate are. While an object of this class lives, they
/// ignore a pending cancellation.
class uncancelled {
public:
    uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &previous_); }
    uncancelled(const uncancelled&) = delete;
    uncancelled& operator=(const uncancelled&) = delete;
    ~uncancelled() { ::pthread_setcancelstate(previous_, nullptr); }

private:
    int previous_ = PTHREAD_CANCEL_ENABLE;
};

/// The stack of the thread's signal handlers (sigaltstack), if it is small.
///
/// Many programs have one of a few KiB, most of which the kernel uses for the registers of the interrupted function. An
/// event may need more than the remaining bytes, and the handler would hit the guard page.
struct alternate_stack {
    unwind::address begin = 0;
    std::size_t bytes = 0; ///< 0 if there is none, or a large one
};

inline constinit thread_local alternate_stack small_alternate_stack [[gnu::tls_model("initial-exec")]]{};

/// Returns: true if the stack has less room than a handler and an event may need, besides the registers that the kernel stores.
[[nodiscard]] inline bool is_small(const stack_t& stack) noexcept {
    constexpr std::size_t enough_bytes = 4096;
    const std::size_t stored = ::getauxval(AT_MINSIGSTKSZ);
    return (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size < stored + enough_bytes;
}

/// Effects: asks the system for the alternate stack of the calling thread.
inline void learn_alternate_stack() noexcept {
    stack_t stack{};
    if (::syscall(SYS_sigaltstack, nullptr, &stack) == 0 && is_small(stack)) {
        small_alternate_stack = {reinterpret_cast<unwind::address>(stack.ss_sp), stack.ss_size};
    }
}

/// True in a thread that the recorder itself has started, and while it begins a recording. Allocations then are not the
/// program's.
inline constinit thread_local bool is_of_recorder [[gnu::tls_model("initial-exec")]] = false;

/// Returns: true if the thread has a small alternate stack.
[[nodiscard]] inline bool has_small_stack() noexcept {
    return small_alternate_stack.bytes != 0;
}

/// Returns: true if the caller runs on that stack, and it has too little room for an event.
[[nodiscard, gnu::always_inline]] inline bool lacks_stack() noexcept {
    const std::size_t remaining =
        reinterpret_cast<unwind::address>(__builtin_frame_address(0)) - small_alternate_stack.begin;
    return remaining < small_alternate_stack.bytes && remaining < arch::event_bytes;
}

} // namespace mallard::recorder

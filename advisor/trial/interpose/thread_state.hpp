/// The state of a thread in a trial.
///
/// Data model: the arena of the blocks that the thread requests inside of the scope, and the detector of the scope.
/// It lies in memory that is zero in the child of a fork, so that the child starts without a state, and is not
/// served. A state outlives its thread, and another thread takes it over: a program may have any number of short
/// threads.
/// Invariant: a state of zeros is closed. All threads that are not served share one.
/// Owner: its thread, except for `taken_`.
#pragma once

#include "recorder/system/thread.hpp"
#include "recorder/unwind/stack.hpp"
#include "trial/detect/scope_detector.hpp"
#include "trial/serve/thread_arena.hpp"
#include "trial/trial.hpp"

#include <atomic>
#include <cstdint>

namespace mallard::trial {

using recorder::unwind::caller;

class thread_state {
public:
    /// Returns: the calling thread's state, which is opened if it has none; null if the thread is not served.
    static thread_state* mine() noexcept {
        thread_state* const state = ready();
        return state != nullptr ? state : open();
    }

    /// Returns: the calling thread's state if it is open, and calls need not check the stack; else null.
    [[gnu::always_inline]] static thread_state* ready() noexcept {
        thread_state* const state = current;
        return state != nullptr && state->ready_ ? state : nullptr;
    }

    /// Returns: the calling thread's arena; null if it has none.
    [[gnu::always_inline]] static const thread_arena* current_arena() noexcept {
        const thread_state* const state = current;
        return state != nullptr ? state->arena_ : nullptr;
    }

    /// Effects: drops what is known of code if the caller is the loader, and unloaded some.
    /// Returns: true if the allocator is called inside of the scope.
    bool inside(caller from) noexcept;

    /// Effects: if the thread has a small alternate stack, each call first checks for room on it.
    void watch_stack() noexcept { ready_ = opened_ && !recorder::has_small_stack(); }

    /// Effects: allocates what `inside` needs, before the process restricts its system calls.
    void prepare_for_sandbox(caller from) noexcept {
        unwind(from);
        detector_.prepare_for_sandbox();
    }

    /// Effects: enters or leaves a mark or a function of the scope.
    void begins(caller from) noexcept;
    void ends() noexcept { open_ -= open_ > 0 ? 1 : 0; }

    [[nodiscard]] thread_arena& blocks() noexcept { return *arena_; }

    /// Effects: drops what is known of code as `inside` does. A thread that is not served may replace code that others run.
    [[gnu::cold, gnu::noinline]] static void notice_unloads(caller from) noexcept;

    /// Effects: ends the service of the thread, which is about to end.
    void thread_ends() noexcept;

private:
    [[gnu::noinline]] static thread_state* open() noexcept;
    /// Returns: true if the stack, which is unwound, shows that the caller is inside of the scope.
    bool unwind(caller from) noexcept;
    /// Returns: a state without an arena that only the calling thread uses; null if there is no memory.
    static thread_state* acquire() noexcept;

    static constinit thread_local thread_state* current;

    thread_arena* arena_ = nullptr;
    bool opened_ = false;         ///< true until the thread is about to end
    bool ready_ = false;          ///< opened, and calls need not check the stack
    bool busy_ = false;           ///< a signal handler that interrupts the detection is outside of the scope
    std::uint32_t open_ = 0;      ///< marks and functions of the scope
    std::uint64_t outermost_ = 0; ///< the frame of the outermost open mark or function
    scope_detector detector_;
    std::atomic<bool> taken_{true};
    thread_state* next_ = nullptr;
};

} // namespace mallard::trial

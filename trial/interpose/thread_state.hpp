/// What the trial keeps of a thread.
///
/// Data model: the server of the blocks that the thread asks for inside of the scope, and what tells that it is inside. It
/// lies in memory that is zero in the child of a fork, so that the child begins anew, and is not served. A state stays when
/// its thread ends, and another thread takes it over: a program may have any number of short threads.
/// Invariant: a state of zeros is closed. All threads that are not served share one.
/// Owner: its thread, all but `taken_`.
#pragma once

#include "recorder/system/alternate_stack.hpp"
#include "recorder/unwind/caller.hpp"
#include "trial/detect/scope_detector.hpp"
#include "trial/serve/server.hpp"

#include <atomic>
#include <cstdint>

namespace mallard::trial {

using recorder::unwind::caller;

class thread_state {
public:
    /// Returns: the calling thread's state, made if it has none; null if the thread is not served.
    [[gnu::always_inline]] static thread_state* mine() noexcept {
        thread_state* const state = current;
        return state != nullptr && state->ready_ ? state : make();
    }

    /// Returns: the calling thread's server if it has one; makes none.
    [[gnu::always_inline]] static const server* its_server() noexcept {
        const thread_state* const state = current;
        return state != nullptr ? state->server_ : nullptr;
    }

    /// Returns: true if a call of the allocator is made inside of the scope.
    bool inside(caller from) noexcept;

    /// Effects: each call looks at first if there is room for it on a small alternate stack, if the thread has one.
    void watch_stack() noexcept { ready_ = opened_ && !recorder::has_small_stack(); }

    /// Effects: takes what `inside` needs later, before the process restricts its system calls.
    void prepare_for_sandbox(caller from) noexcept {
        inside(from);
        detector_.prepare_for_sandbox();
    }

    /// Effects: a mark of the scope, or a function of it, begins or ends.
    void begins(caller from) noexcept;
    void ends() noexcept { open_ -= open_ > 0 ? 1 : 0; }

    [[nodiscard]] server& blocks() noexcept { return *server_; }

    /// Effects: the thread is about to end. It is not served any more.
    void thread_ends() noexcept;

private:
    [[gnu::noinline]] static thread_state* make() noexcept;
    /// Returns: a state that only the calling thread uses, with no server; null if there is no memory.
    static thread_state* take() noexcept;

    static constinit thread_local thread_state* current;

    server* server_ = nullptr;
    bool opened_ = false;         ///< until the thread is about to end
    bool ready_ = false;          ///< opened, and no call needs a look at the stack first
    bool busy_ = false;           ///< a signal handler that interrupts the detection is outside of the scope
    std::uint32_t open_ = 0;      ///< marks and functions of the scope
    std::uint64_t outermost_ = 0; ///< where the outermost of them has its frame
    scope_detector detector_;
    std::atomic<bool> taken_{true};
    thread_state* next_ = nullptr;
};

} // namespace mallard::trial

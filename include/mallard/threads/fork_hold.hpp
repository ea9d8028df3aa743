/// What is locked while the process forks, so that the child finds it unlocked and whole.
///
///     fork():  every hold is locked  ->  the process doubles  ->  every hold is unlocked, in both
///
/// Data model: a list of holds through the holds themselves, each with functions that lock and unlock one thing
/// of static storage duration. A lock that another thread had when the process forked would be locked in the
/// child for ever, because that thread is not there. Handlers of the system's (pthread_atfork) are registered
/// when the library is loaded: theirs that use it come before.
/// Locks are had in any order: where one is taken, all others are let go until it is free. So a hold may be one
/// that its thread needs within another, and no order is prescribed.
/// Invariants: to enter a hold takes no lock, because the lock of an allocator may be held meanwhile.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::threads::inline MALLARD_LIBRARY {

struct fork_hold {
    void (*lock)() noexcept;
    bool (*try_lock)() noexcept;
    void (*unlock)(bool in_child) noexcept;
    fork_hold* next = nullptr;
};

/// Effects: from now on, locks `hold` while the process forks.
/// Requires: it is entered once.
void hold_at_fork(fork_hold& hold) noexcept;

/// Effects: does so no longer. Waits where the process is forking.
void let_go_at_fork(fork_hold& hold) noexcept;

/// Static storage of the library that a hold belongs to: it is let go when that is unloaded.
class held_while_loaded {
public:
    explicit held_while_loaded(fork_hold& hold) noexcept : hold_(hold) { hold_at_fork(hold_); }
    held_while_loaded(const held_while_loaded&) = delete;
    held_while_loaded& operator=(const held_while_loaded&) = delete;
    ~held_while_loaded() { let_go_at_fork(hold_); }

private:
    fork_hold& hold_;
};

/// An allocator with a lock of its own.
template <class A>
concept locked_for_fork = requires(A& a) {
    { a.lock_for_fork() } noexcept;
    { a.try_lock_for_fork() } noexcept;
    { a.unlock_after_fork() } noexcept;
};

} // namespace mallard::threads::inline MALLARD_LIBRARY

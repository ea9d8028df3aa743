/// Locks that are held while the process forks, so that the child finds them unlocked and their objects consistent.
///
///     fork():  every hold is locked  ->  the process doubles  ->  every hold is unlocked, in both
///
/// Data model: a list of holds through the holds themselves, each with functions that lock and unlock an object
/// of static storage duration. A lock that another thread had at the fork would stay locked in the child
/// forever, because that thread does not exist there. Locks are taken in any order: if one is taken, all others
/// are released until it is free. So a hold may be needed within another, and no order is prescribed.
///
/// The system's handlers (pthread_atfork) are registered before any static object of the program or library is
/// initialised, so that their handlers run while the locks are free. Handlers that were registered even earlier,
/// by a library that was loaded before, run while the locks are held, and may still use the allocators
/// (impl/threads/fork_mutex.hpp). But they must not wait for a thread that does.
/// Invariants: entering a hold takes no lock, because the lock of an allocator may be held.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

struct fork_hold {
    void (*lock)() noexcept;
    bool (*try_lock)() noexcept;
    void (*unlock)() noexcept;
    fork_hold* next = nullptr;
};

/// Effects: registers `hold`, to be locked while the process forks.
/// Requires: it is not registered.
void hold_at_fork(fork_hold& hold) noexcept;

/// Effects: removes `hold`. Waits while the process is forking.
void let_go_at_fork(fork_hold& hold) noexcept;

/// A hold in static storage of a library: it is removed when the library is unloaded.
class held_while_loaded {
public:
    explicit held_while_loaded(fork_hold& hold) noexcept : hold_(hold) { hold_at_fork(hold_); }
    held_while_loaded(const held_while_loaded&) = delete;
    held_while_loaded& operator=(const held_while_loaded&) = delete;
    ~held_while_loaded() { let_go_at_fork(hold_); }

private:
    fork_hold& hold_;
};

/// An object with its own lock.
template <class A>
concept locked_for_fork = requires(A& a) {
    { a.lock_for_fork() } noexcept;
    { a.try_lock_for_fork() } noexcept;
    { a.unlock_after_fork() } noexcept;
};

/// Returns: a hold that locks `Object`.
template <auto& Object>
    requires locked_for_fork<decltype(Object)>
[[nodiscard]] constexpr fork_hold make_fork_hold() noexcept {
    return {.lock = []() noexcept { Object.lock_for_fork(); },
            .try_lock = []() noexcept { return Object.try_lock_for_fork(); },
            .unlock = []() noexcept { Object.unlock_after_fork(); }};
}

}} // namespace mallard::threads::MALLARD_LIBRARY

#include "../../platform/threads.hpp"

#include <mallard/core/mutex.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/process_mark.hpp>

#include <atomic>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<fork_hold*> newest{nullptr};

/// Locked while a hold leaves the list, and while the process forks.
constinit core::mutex taking_out;

/// The newest of the locked holds.
constinit fork_hold* first_locked = nullptr;

/// Effects: tries to lock all holds but `other`, which is locked.
/// Returns: null if all are locked; else the first that another thread has, with no lock kept but that of
/// `other`.
fork_hold* try_to_lock_all_but(const fork_hold* excluded) noexcept {
    for (fork_hold* h = first_locked; h != nullptr; h = h->next) {
        if (h == excluded || h->try_lock()) {
            continue;
        }
        for (fork_hold* locked = first_locked; locked != h; locked = locked->next) {
            if (locked != excluded) {
                locked->unlock();
            }
        }
        return h;
    }
    return nullptr;
}

void lock_all() noexcept {
    taking_out.lock();
    first_locked = newest.load(std::memory_order_acquire);
    fork_hold* waited_for = nullptr;
    while (fork_hold* const taken = try_to_lock_all_but(waited_for)) {
        if (waited_for != nullptr) {
            waited_for->unlock();
        }
        // The thread that has this lock may need one of the others before it unlocks.
        waited_for = taken;
        waited_for->lock();
    }
}

void unlock_all() noexcept {
    for (const fork_hold* h = first_locked; h != nullptr; h = h->next) {
        h->unlock();
    }
    taking_out.unlock();
}

void unlock_all_in_child() noexcept {
    this_process.begin_in_child();
    unlock_all();
}

/// Runs before all constructors without a priority. The system forgets the handlers of a library that is unloaded.
[[gnu::constructor(101)]] void register_handlers() noexcept {
    platform::call_at_fork(lock_all, unlock_all, unlock_all_in_child);
}

} // namespace

void hold_at_fork(fork_hold& hold) noexcept {
    hold.next = newest.load(std::memory_order_relaxed);
    while (!newest.compare_exchange_weak(hold.next, &hold, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
}

void let_go_at_fork(fork_hold& hold) noexcept {
    const core::lock_guard lock(taking_out);
    fork_hold* first = &hold;
    if (newest.compare_exchange_strong(first, hold.next, std::memory_order_acquire)) {
        return;
    }
    for (fork_hold* h = first; h != nullptr; h = h->next) {
        if (h->next == &hold) {
            h->next = hold.next;
            return;
        }
    }
}

}} // namespace mallard::threads::MALLARD_LIBRARY

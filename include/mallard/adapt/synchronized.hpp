/// Any allocator behind a lock, so that several threads may share it.
///
///     mallard::synchronized<mallard::multipool<>> pool;
///     std::list<int, mallard::allocator<int, decltype(pool)>> mine{pool};   // another list in every thread
///
/// Data model: the mechanism, and a mutex that every operation holds. Simple and small; for threads that allocate
/// all the time, local/concurrent_multipool.hpp is many times as fast. The mutex protects the allocator, not the
/// blocks: release(), rewind() and rollback() may be called at any time, but the blocks that they forget must not
/// be in use by any thread. mechanism() bypasses the lock.
///
/// Source: P0089R1, section 11 (the experiment that it leaves to the reader).
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

namespace mallard::adapt { inline namespace MALLARD_MODE {

template <class Mutex>
struct locking {
    Mutex mutex;

    template <class Mechanism, class Operation, class Call>
    decltype(auto) operator()(Mechanism&, const Operation& operation, Call call) {
        const core::lock_guard lock(mutex);
        return call(operation);
    }
};

}} // namespace mallard::adapt::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Thread-safe, apart from mechanism(). Any thread may free the blocks of another. `Mutex` is any type with
/// lock() and unlock(). Adaptors that count go inside.
/// Requires: for release(), rewind() and rollback(), that no thread uses a block that they forget; for expand()
/// and shrink(), that no other thread uses the block.
template <class A, class Mutex = threads::fork_mutex>
class synchronized : public adapt::adaptor<A, adapt::locking<Mutex>> {
    using base = adapt::adaptor<A, adapt::locking<Mutex>>;

public:
    using base::base;

    /// Effects: lets no other thread in, so that the child of a fork finds the mechanism whole. The calling thread may go
    /// on with it, unless `Mutex` is another type than the default. For a handler of pthread_atfork(); a pool that a type
    /// names (bind/pool_tag.hpp) has one.
    /// Requires: the calling thread is not in an operation of this allocator.
    void lock_for_fork() noexcept { threads::lock_for_fork(this->hook_.mutex); }

    /// Effects: those of lock_for_fork(), if no thread is in an operation.
    /// Returns: true if it has an effect.
    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires requires(Mutex& m) { m.try_lock(); }
    {
        return threads::try_lock_for_fork(this->hook_.mutex);
    }

    /// Effects: lets other threads in again, in the process that forked and in its child.
    void unlock_after_fork() noexcept { threads::unlock_after_fork(this->hook_.mutex); }
};

template <class A, class Mutex>
inline constexpr bool thread_safe<synchronized<A, Mutex>> = true;

}} // namespace mallard::MALLARD_MODE

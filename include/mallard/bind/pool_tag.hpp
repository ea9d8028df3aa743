/// Pools of static storage duration, each named by a type: the memory of pooled<T> and static_allocator<T, Tag>,
/// which hold no pointer to it.
///
///     struct nodes : mallard::per_thread<nodes, mallard::fixed_pool<>> {};
///
///     per_thread           an A in each thread; the thread that allocated a block frees it
///     shared_by_threads    one A for all threads; any thread frees the blocks of any other
///     single_threaded      one A; only one thread of the program uses it
///
/// Data model: a pool tag is a type with a static function pool(), which returns the pool. The three bases above
/// provide it; a tag derives from one of them and passes itself, so that two tags have two pools of one type. A
/// tag of the user may return any allocator. common_pool is a tag at hand (bind/common_pool.hpp).
///
///     slot:  [ pool_ | room for an A ........ ]     zero bytes, until the first use makes the A; an A that
///                `--> ^                            can be constant-initialised exists from the start
///
/// Invariants: a slot has no destructor and is constant-initialised, so no access passes a guard of the compiler. A
/// thread that forks during another's first use would leave that guard locked in the child. A pool never ends before
/// its users: a thread's pool ends after the thread_local objects (impl/threads/thread_end.hpp); the main thread's pool
/// and shared pools do not end, and their memory goes with the process.
/// Fork: a pool of shared_by_threads, or its first use, is locked while the process forks (impl/threads/fork_hold.hpp), so
/// the child may use it. A thread's own pool is the forking thread's; the child loses the pools of threads that it
/// does not have.
///
/// Shared libraries find the pool of a thread by a call of the system, so that a program may load any number of
/// them at any time. A library that is loaded at the start of a program may be compiled with
/// -ftls-model=initial-exec, which saves that call.
///
/// Source: Optimized C++, chapter 13 (the static memory manager of a class; stateless allocators).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>
#include <mallard/impl/threads/thread_end.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_MODE {

/// An A that is constant-initialised and trivially destructible.
template <class A>
concept statically_constructible = std::is_trivially_destructible_v<A> &&
                                   requires { typename std::bool_constant<(static_cast<void>(A()), true)>; };

/// Static storage for an A that is constructed later.
template <class A>
class pool_slot {
    static_assert(std::is_default_constructible_v<A>,
                  "a pool that a type names is made without arguments: derive a class from it whose default "
                  "constructor passes those that it needs");

public:
    /// Returns: the pool, or null if there is none.
    [[nodiscard]] A* get() const noexcept { return pool_; }

    /// Requires: there is none.
    [[gnu::cold, gnu::noinline]] A& make() noexcept {
        pool_ = ::new (static_cast<void*>(room_)) A();
        return *pool_;
    }

    /// Requires: there is one.
    void end() noexcept { std::destroy_at(std::exchange(pool_, nullptr)); }

private:
    A* pool_ = nullptr;
    alignas(A) std::byte room_[sizeof(A)]{};
};

/// Static storage for a constant-initialised A, without a check.
template <statically_constructible A>
class pool_slot<A> {
public:
    [[nodiscard]] A* get() noexcept { return &pool_; }
    A& make() noexcept { return pool_; }
    void end() noexcept {}

private:
    A pool_;
};

/// A slot that threads share, with its lock and that of its pool for a fork.
template <class A>
class shared_slot {
public:
    [[nodiscard]] A* get() const noexcept { return pool_.load(std::memory_order_acquire); }

    /// Returns: the pool, constructed by this thread or by another.
    [[gnu::cold, gnu::noinline]] A& make() noexcept {
        const core::lock_guard lock(making_);
        A* pool = get();
        if (pool == nullptr) {
            pool = &slot_.make();
            if (making_.is_locked_again()) {
                lock_pool(*pool); // as the fork expects
            }
            pool_.store(pool, std::memory_order_release);
        }
        return *pool;
    }

    void lock_for_fork() noexcept {
        making_.lock_for_fork();
        if (A* const pool = get()) {
            lock_pool(*pool);
        }
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept {
        if (!making_.try_lock_for_fork()) {
            return false;
        }
        if constexpr (threads::locked_for_fork<A>) {
            if (A* const pool = get(); pool != nullptr && !pool->try_lock_for_fork()) {
                making_.unlock_after_fork();
                return false;
            }
        }
        return true;
    }

    void unlock_after_fork() noexcept {
        if constexpr (threads::locked_for_fork<A>) {
            if (A* const pool = get()) {
                pool->unlock_after_fork();
            }
        }
        making_.unlock_after_fork();
    }

private:
    static void lock_pool([[maybe_unused]] A& pool) noexcept {
        if constexpr (threads::locked_for_fork<A>) {
            pool.lock_for_fork();
        }
    }

    std::atomic<A*> pool_{nullptr};
    threads::fork_mutex making_;
    pool_slot<A> slot_;
};

}} // namespace mallard::bind::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// Base of a tag that names an A in each thread. No lock anywhere.
/// Requires: a block is freed by the thread that allocated it, at the latest by its thread_local objects; in
/// the main thread, by static objects.
template <class Tag, upstream A>
class per_thread {
public:
    /// Returns: the pool of the calling thread; its first use makes it.
    [[nodiscard]] static A& pool() noexcept {
        A* const pool = current_pool;
        if (pool == nullptr) [[unlikely]] {
            return make();
        }
        return *pool;
    }

private:
    friend Tag;
    per_thread() = default;

    /// Ends with the thread's other objects. A library is not unloaded as long as a thread has such an object of
    /// its code.
    struct library_stays {
        library_stays() = default;
        library_stays(const library_stays&) = delete;
        library_stays& operator=(const library_stays&) = delete;
        // One that is trivial would not be called. NOLINTNEXTLINE(modernize-use-equals-default)
        ~library_stays() {}
    };

    [[gnu::cold, gnu::noinline]] static A& make() noexcept {
        if (!threads::thread_has_closed()) {
            static MALLARD_THREAD_LOCAL const library_stays until_the_thread_ends;
            static_cast<void>(&until_the_thread_ends);
        }
        at_end.run = []() noexcept {
            slot.end();
            current_pool = nullptr;
        };
        threads::at_thread_end(at_end);
        current_pool = &slot.make();
        return *current_pool;
    }

    static inline constinit MALLARD_THREAD_LOCAL A* current_pool = nullptr;
    static inline constinit MALLARD_THREAD_LOCAL bind::pool_slot<A> slot{};
    static inline constinit MALLARD_THREAD_LOCAL threads::thread_end_task at_end{};
};

/// Base of a tag that names one A for all threads.
template <class Tag, upstream A>
class shared_by_threads {
    static_assert(thread_safe<A>,
                  "all threads would use this pool at once: put it into mallard::synchronized, "
                  "or give each thread one by mallard::per_thread");

public:
    /// Returns: the pool; its first use makes it.
    [[nodiscard]] static A& pool() noexcept {
        A* const pool = slot.get();
        if (pool == nullptr) [[unlikely]] {
            return make();
        }
        return *pool;
    }

private:
    friend Tag;
    shared_by_threads() = default;

    [[gnu::cold, gnu::noinline]] static A& make() noexcept {
        static_cast<void>(&held); // a use, so that it is there
        return slot.make();
    }

    static inline constinit bind::shared_slot<A> slot{};
    static inline constinit threads::fork_hold at_fork = threads::make_fork_hold<slot>();
    static inline const threads::held_while_loaded held{at_fork};
};

/// Base of a tag that names one A for a program, or a part of one, with a single thread: no lock, and no
/// thread_local storage, which small systems may lack.
/// Requires: one thread at a time uses the pool.
template <class Tag, upstream A>
class single_threaded {
public:
    /// Returns: the pool; its first use makes it.
    [[nodiscard]] static A& pool() noexcept {
        A* const pool = slot.get();
        if (pool == nullptr) [[unlikely]] {
            return slot.make();
        }
        return *pool;
    }

private:
    friend Tag;
    single_threaded() = default;

    static inline constinit bind::pool_slot<A> slot{};
};

}} // namespace mallard::MALLARD_MODE

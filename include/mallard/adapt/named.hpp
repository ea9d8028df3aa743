/// Names for allocators, and a list of those that live, with the bytes that each holds.
///
///     mallard::named<mallard::multipool<>> orders("orders");
///     ...
///     mallard::dump_named_allocators();
///
///             held       in use         peak  name
///          1048576       402112       910336  orders (mallard::multipool<mallard::chunk_cache, ...>)
///
/// In a program that is compiled with MALLARD_NAMES=1. Otherwise named<A> is an A that ignores its name, with the same size and
/// calls, and the list is empty.
///
/// So a class with a named allocator as a member has two sizes, and one linker name. A file in which such a class is complete
/// defines a byte, as for MALLARD_CHECKED (impl/checking/by_default.hpp): GNU ld and gold refuse files of which only some
/// have MALLARD_NAMES. Files that have no named allocator may differ.
///
/// Data model: an adaptor that counts requested bytes, and an entry in a list through the adaptors themselves. Each operation of
/// a mechanism that is not thread-safe holds a lock, so that the list may read its statistics in another thread. The list
/// has a lock of its own, held while an allocator begins or ends, and while the list is read. A reader only tries the locks of
/// allocators, so no thread deadlocks by reading, even within an operation.
/// Fork: the list is locked while the process forks. An allocator that another thread uses at the time is listed in the child,
/// without statistics.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/stats.hpp>
#include <mallard/core/thread_safe.hpp>

#ifndef MALLARD_NAMES
#define MALLARD_NAMES 0
#endif

#if MALLARD_NAMES
#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/core/mutex.hpp>
#include <mallard/core/type_name.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/impl/adapt/operations.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#endif

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mallard { inline namespace MALLARD_MODE {

/// An allocator of the list.
struct named_allocator_info {
    const char* name = "";
    std::string_view type; ///< the mechanism's, without the namespaces of build modes
    const void* address = nullptr;
    std::size_t bytes_in_use = 0; ///< as requested, allocated and neither deallocated nor released
    std::size_t peak_bytes = 0;   ///< the most that bytes_in_use ever was
    /// What the mechanism holds of its upstream. None if it has no such figures, or is in an operation.
    std::optional<allocator_stats> stats = std::nullopt;
};

}} // namespace mallard::MALLARD_MODE

#if defined(__ELF__) && MALLARD_THREADS && !MALLARD_ALLOW_MISMATCH
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): with the name of the macro, for a linker's message;
// A is a type
template <class>
#if MALLARD_NAMES
[[gnu::used]] inline constinit thread_local const char mallard_parts_differ_in_MALLARD_NAMES = 0;
#else
[[gnu::used]] inline constexpr char mallard_parts_differ_in_MALLARD_NAMES = 0;
#endif
// Defines the byte where a class of A is made. Without a word that depends on A, clang++ would define it in each file.
#define MALLARD_MARK_NAMES(A)                                                                                \
    (mallard_parts_differ_in_MALLARD_NAMES<std::conditional_t<std::is_same_v<A, A>, void, A>> == 0)
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
#else
#define MALLARD_MARK_NAMES(A) true
#endif

#if MALLARD_NAMES

namespace mallard::adapt { inline namespace MALLARD_MODE {

struct name_entry {
    const char* name;
    std::string_view type;
    const void* address;
    void (*read)(const name_entry& entry, named_allocator_info& info) noexcept;
    name_entry* previous = nullptr;
    name_entry* next = nullptr;
};

/// The allocators that live, the oldest first.
class name_list {
public:
    void add(name_entry& entry) noexcept {
        const core::lock_guard lock(mutex_);
        entry.previous = last_;
        (last_ != nullptr ? last_->next : first_) = &entry;
        last_ = &entry;
    }

    void remove(const name_entry& entry) noexcept {
        const core::lock_guard lock(mutex_);
        (entry.previous != nullptr ? entry.previous->next : first_) = entry.next;
        (entry.next != nullptr ? entry.next->previous : last_) = entry.previous;
    }

    /// Effects: none within a call of itself.
    template <class Use>
    void for_each(Use& use) {
        const std::uintptr_t thread = threads::thread_identity();
        if (reader_.load(std::memory_order_relaxed) == thread) {
            return;
        }
        const core::lock_guard lock(mutex_);
        const reading until_the_end(reader_, thread);
        for (const name_entry* entry = first_; entry != nullptr; entry = entry->next) {
            named_allocator_info info{.name = entry->name, .type = entry->type, .address = entry->address};
            entry->read(*entry, info);
            use(std::as_const(info));
        }
    }

    // ---- for a fork

    void lock_for_fork() noexcept { mutex_.lock_for_fork(); }
    [[nodiscard]] bool try_lock_for_fork() noexcept { return mutex_.try_lock_for_fork(); }
    void unlock_after_fork() noexcept { mutex_.unlock_after_fork(); }

private:
    class reading {
    public:
        reading(std::atomic<std::uintptr_t>& reader, std::uintptr_t thread) noexcept : reader_(reader) {
            reader_.store(thread, std::memory_order_relaxed);
        }
        reading(const reading&) = delete;
        reading& operator=(const reading&) = delete;
        ~reading() { reader_.store(0, std::memory_order_relaxed); }

    private:
        std::atomic<std::uintptr_t>& reader_;
    };

    threads::fork_mutex mutex_;
    std::atomic<std::uintptr_t> reader_{0}; ///< the thread in for_each(); 0 if there is none
    name_entry* first_ = nullptr;
    name_entry* last_ = nullptr;
};

inline constinit name_list names{};
inline constinit threads::fork_hold names_at_fork = threads::make_fork_hold<names>();
inline const threads::held_while_loaded names_held{names_at_fork};

/// Counts bytes, and locks a mechanism that does not lock itself.
template <bool Shared>
class naming : public counting<true> {
public:
    template <class Mechanism, class Operation, class Call>
    decltype(auto) operator()(Mechanism& m, const Operation& operation, Call call) {
        const core::lock_guard lock(mutex_);
        return counting<true>::operator()(m, operation, call);
    }

    template <class Call>
    bool adopt(naming& other, Call call) noexcept {
        if (this == &other) {
            return true;
        }
        // Threads that lock two of them take the same order.
        const bool first = reinterpret_cast<std::uintptr_t>(this) < reinterpret_cast<std::uintptr_t>(&other);
        const core::lock_guard lock(first ? mutex_ : other.mutex_);
        const core::lock_guard other_lock(first ? other.mutex_ : mutex_);
        return counting<true>::adopt(other, call);
    }

    /// Returns: false if an operation is under way that does not end soon.
    [[nodiscard]] bool try_lock() noexcept
        requires(!Shared)
    {
        constexpr int most_tries = 1000;
        for (int tries = 0; tries != most_tries; ++tries) {
            if (mutex_.try_lock()) {
                return true;
            }
        }
        return false;
    }

    void unlock() noexcept { mutex_.unlock(); }

private:
    [[MALLARD_NO_UNIQUE_ADDRESS]] std::conditional_t<Shared, core::no_mutex, threads::fork_mutex> mutex_;
};

/// True if the thread that has locked A for a fork may go on with it.
template <class A>
inline constexpr bool locks_again = [] {
    if constexpr (requires { typename A::mechanism_type; }) {
        return locks_again<typename A::mechanism_type>;
    } else {
        return threads::locked_for_fork<A>;
    }
}();
template <class A, class Mutex>
inline constexpr bool locks_again<synchronized<A, Mutex>> = std::is_same_v<Mutex, threads::fork_mutex>;

}} // namespace mallard::adapt::MALLARD_MODE

#endif

namespace mallard { inline namespace MALLARD_MODE {

#if MALLARD_NAMES
inline namespace with_names {

/// Thread-safe if the mechanism is. It has the members of an adaptor.
template <class A>
class named : public adapt::adaptor<A, adapt::naming<thread_safe<A>>> {
    static_assert(!std::is_reference_v<A>, "mallard: a name is for an allocator that is held by value");
    static_assert(MALLARD_MARK_NAMES(A));
    using base = adapt::adaptor<A, adapt::naming<thread_safe<A>>>;

public:
    /// Effects: makes the mechanism of `args`, and lists it. Allocators may share a name.
    /// Requires: the name lives as long as this object.
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit named(const char* name, Args&&... args)
        : base(std::forward<Args>(args)...),
          entry_{.name = name, .type = core::type_name<A>.view(), .address = this, .read = read} {
        adapt::names.add(entry_);
    }

    ~named() { adapt::names.remove(entry_); }

private:
    static void read(const adapt::name_entry& entry, named_allocator_info& info) noexcept {
        auto& self = *static_cast<named*>(const_cast<void*>(entry.address));
        info.bytes_in_use = self.hook_.bytes_in_use();
        // An operation counts the bytes first.
        info.peak_bytes = core::max(self.hook_.counts().peak_bytes, info.bytes_in_use);
        if constexpr (requires { allocator_stats(self.mechanism().stats()); }) {
            if constexpr (!thread_safe<A>) {
                if (self.hook_.try_lock()) {
                    info.stats = self.mechanism().stats();
                    self.hook_.unlock();
                }
            } else if constexpr (adapt::locks_again<A>) {
                if (self.mechanism().try_lock_for_fork()) {
                    info.stats = self.mechanism().stats();
                    self.mechanism().unlock_after_fork();
                }
            }
        }
    }

    adapt::name_entry entry_;
};

/// Effects: calls `use(info)` for each named allocator, the oldest first, in any thread, at any time. No effect within such a
/// call, nor without MALLARD_NAMES.
/// Requires: `use` neither makes nor ends a named allocator.
/// Complexity: linear in the allocators and their chunks.
template <class Use>
void for_each_named_allocator(Use use) {
    adapt::names.for_each(use);
}

/// Effects: prints the named allocators to the standard error stream, a line each: the bytes held from the upstream, in use,
/// and in use at most. An upstream that is named too has the bytes of its users again. No effect without MALLARD_NAMES.
inline void dump_named_allocators() {
    std::fprintf(stderr, "%12s %12s %12s  name\n", "held", "in use", "peak");
    for_each_named_allocator([](const named_allocator_info& a) {
        std::array<char, 24> held{"?"};
        if (a.stats) {
            std::snprintf(held.data(), held.size(), "%zu", a.stats->chunk_bytes + a.stats->large_bytes);
        }
        std::fprintf(stderr, "%12s %12zu %12zu  %s (%.*s)\n", held.data(), a.bytes_in_use, a.peak_bytes,
                     a.name, static_cast<int>(a.type.size()), a.type.data());
    });
}

} // namespace with_names
#else

template <class A>
class named : public A {
    static_assert(MALLARD_MARK_NAMES(A));

public:
    using front_owner = std::conditional_t<core::has_front<A>, named, void>; // (core/concepts.hpp)

    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    [[gnu::always_inline]] explicit constexpr named(const char*, Args&&... args) noexcept(
        std::is_nothrow_constructible_v<A, Args...>)
        : A(std::forward<Args>(args)...) {}

    [[nodiscard]] A& mechanism() noexcept { return *this; }
    [[nodiscard]] const A& mechanism() const noexcept { return *this; }
};

template <class Use>
void for_each_named_allocator(Use) noexcept {}

inline void dump_named_allocators() noexcept {}

#endif

#undef MALLARD_MARK_NAMES

template <class A>
inline constexpr bool thread_safe<named<A>> = thread_safe<A>;

}} // namespace mallard::MALLARD_MODE

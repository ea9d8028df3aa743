/// Finds misuse of any allocator: double frees, wrong sizes and alignments, foreign pointers, writes around a
/// block and to one that was freed, growth of what was freed, use after a release, and blocks that nobody freed.
///
///     mallard::checked<mallard::multipool<>> pool;
///     mallard::resource<decltype(pool)&> binding(pool);
///     ...
///     mallard::check(pool);              // whether anybody wrote around a block so far, or to a freed one
///     mallard::expect_all_freed(pool);   // where nothing is winked out
///     mallard::set_quarantine(pool, {.blocks = 100, .bytes = 4096});   // how much of what is freed waits
///
/// A misuse is told to the handler (checking/misuse.hpp); without one its text is printed and the program aborts.
/// It names the place of the allocation (checking/allocation_site.hpp). Debug builds check all local allocators
/// by this code without being asked; docs/checked.md is the whole story.
#pragma once

#include <mallard/adapt/adaptor.hpp>
#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/checked_expansion.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/checking/pool_with_zones.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/thread_safe.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace mallard::adapt::inline MALLARD_MODE {

/// An adaptor that does nothing: a mechanism of any kind, elsewhere too, as a class to derive from.
template <class A>
class passed_on : public adaptor<A> {
    using adaptor<A>::mechanism_;

public:
    template <class... Args>
        requires std::is_constructible_v<A, Args...>
    explicit passed_on(Args&&... args) : adaptor<A>(std::forward<Args>(args)...) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = fundamental_alignment) {
        return mechanism_.allocate(bytes, alignment);
    }

    /// Returns: as the mechanism.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = fundamental_alignment) noexcept
        requires requires(std::remove_reference_t<A>& a) { a.try_allocate(bytes, alignment); }
    {
        return mechanism_.try_allocate(bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment = fundamental_alignment) noexcept {
        mechanism_.deallocate(p, bytes, alignment);
    }

    /// Effects: as the mechanism's, which knows how large its blocks are.
    void deallocate(void* p) noexcept
        requires requires(std::remove_reference_t<A>& a) { a.deallocate(p); }
    {
        mechanism_.deallocate(p);
    }

    [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                                std::size_t alignment = fundamental_alignment)
        requires expandable<std::remove_reference_t<A>>
    {
        return mechanism_.allocate_at_least(bytes, alignment);
    }

    [[nodiscard]] std::size_t usable_bytes(const void* p) const noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        return mechanism_.usable_bytes(p);
    }

    /// Effects, returns: as the mechanism.
    expansion_result expand(void* p, const expansion_request& request)
        requires expandable<std::remove_reference_t<A>>
    {
        return mechanism_.expand(p, request);
    }

    /// Effects, returns: as the mechanism.
    expansion_result try_expand(void* p, const expansion_request& request) noexcept
        requires requires(std::remove_reference_t<A>& a) { a.try_expand(p, request); }
    {
        return mechanism_.try_expand(p, request);
    }

    /// Effects, returns: as the mechanism.
    std::size_t shrink(void* p, std::size_t bytes) noexcept
        requires expandable<std::remove_reference_t<A>>
    {
        return mechanism_.shrink(p, bytes);
    }

    /// Effects, returns: as the mechanism.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept
        requires requires(std::remove_reference_t<A>& a) { a.resize_last(p, old_bytes, new_bytes); }
    {
        return mechanism_.resize_last(p, old_bytes, new_bytes);
    }

    static constexpr bool has_fixed_blocks = core::gives_fixed_blocks<std::remove_reference_t<A>>;

    /// Returns: the mechanism's.
    [[nodiscard]] std::size_t block_bytes() const noexcept
        requires requires(const std::remove_reference_t<A>& a) { a.block_bytes(); }
    {
        return mechanism_.block_bytes();
    }

    /// Returns: the mechanism's, with the guard zones in it.
    [[nodiscard]] auto stats() const noexcept
        requires requires(const std::remove_reference_t<A>& a) { a.stats(); }
    {
        return mechanism_.stats();
    }

    void lock_for_fork() noexcept
        requires threads::locked_for_fork<std::remove_reference_t<A>>
    {
        mechanism_.lock_for_fork();
    }

    [[nodiscard]] bool try_lock_for_fork() noexcept
        requires threads::locked_for_fork<std::remove_reference_t<A>>
    {
        return mechanism_.try_lock_for_fork();
    }

    void unlock_after_fork() noexcept
        requires threads::locked_for_fork<std::remove_reference_t<A>>
    {
        mechanism_.unlock_after_fork();
    }
};

} // namespace mallard::adapt::inline MALLARD_MODE

namespace mallard::inline MALLARD_MODE {

template <class A>
inline constexpr bool thread_safe<adapt::passed_on<A>> = thread_safe<std::remove_reference_t<A>>;

/// A is held by value, or by reference for checked<A&>; what goes round it by mechanism() has to be released
/// here too before it is gone. A fixed_pool that is held has blocks that are larger by their guard zones.
template <class A>
class checked : public checking::checked_expansion<adapt::passed_on<checking::room_for_zones_t<A>>> {
    using base = checking::checked_expansion<adapt::passed_on<checking::room_for_zones_t<A>>>;

public:
    using base::base;
};

template <class A>
inline constexpr bool thread_safe<checked<A>> = thread_safe<std::remove_reference_t<A>>;

/// Effects: looks for writes around the blocks of `a`, or of the allocator that it is bound to or adapts, and
/// to those in its quarantine.
/// None where that keeps no books, as in a release build.
template <class A>
void check([[maybe_unused]] const A& a) noexcept {
    if constexpr (requires { a.check(); }) {
        a.check();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::check(a.mechanism());
    }
}

/// Effects: sets how much of what is freed from now on `a` keeps from being used again (checking/quarantine.hpp),
/// whatever is usual. None where it keeps no books.
template <class A>
void set_quarantine([[maybe_unused]] A& a, [[maybe_unused]] quarantine_bounds bounds) noexcept {
    if constexpr (requires { a.set_quarantine(bounds); }) {
        a.set_quarantine(bounds);
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::set_quarantine(a.mechanism(), bounds);
    }
}

/// Effects: reports the blocks of `a` that were not freed. None where it keeps no books.
template <class A>
void expect_all_freed([[maybe_unused]] const A& a) noexcept {
    if constexpr (requires { a.expect_all_freed(); }) {
        a.expect_all_freed();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::expect_all_freed(a.mechanism());
    }
}

/// Effects: the same from now on at each release and rewind of `a`, and when it ends.
template <class A>
void expect_all_freed_at_end([[maybe_unused]] A& a) noexcept {
    if constexpr (requires { a.expect_all_freed_at_end(); }) {
        a.expect_all_freed_at_end();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::expect_all_freed_at_end(a.mechanism());
    }
}

} // namespace mallard::inline MALLARD_MODE

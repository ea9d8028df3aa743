/// Detects misuse of any allocator: double frees, wrong sizes and alignments, foreign pointers, writes around a
/// block and into a freed one, growth of a freed block, use after a release, and blocks that were never freed.
///
///     mallard::checked<mallard::multipool<>> pool;
///     mallard::resource<decltype(pool)&> binding(pool);
///     ...
///     mallard::check(pool);              // reports out-of-bounds writes and writes to freed blocks
///     mallard::expect_all_freed(pool);   // unless blocks are winked out
///     mallard::set_quarantine(pool, {.blocks = 100, .bytes = 4096});   // the freed blocks that wait
///
/// A misuse goes to the handler (checking/misuse.hpp); without one its text is printed and the program aborts. It
/// names the place of the allocation (checking/allocation_site.hpp). Debug builds check all local allocators by
/// this code; docs/library/checked.md describes all checks.
#pragma once

#include <mallard/checking/allocation_site.hpp>
#include <mallard/checking/misuse.hpp>
#include <mallard/checking/quarantine.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/thread_safe.hpp>
#include <mallard/impl/adapt/intercepted.hpp>
#include <mallard/impl/checking/checked_mechanism.hpp>
#include <mallard/impl/checking/pool_with_zones.hpp>

#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

/// A is held by value, or by reference for checked<A&>; blocks that bypass it by mechanism() must be released
/// here before they are invalidated. Blocks of an owned fixed_pool are larger by their guard zones.
template <class A>
class checked : public checking::registered<adapt::held<checking::room_for_zones_t<A>>> {
    using base = checking::registered<adapt::held<checking::room_for_zones_t<A>>>;

public:
    using mechanism_type = std::remove_reference_t<checking::room_for_zones_t<A>>;

    using base::base;

    // Not by using-declarations, which g++ 16 does not find in a module.
    [[nodiscard]] mechanism_type& mechanism() noexcept { return base::mechanism(); }
    [[nodiscard]] const mechanism_type& mechanism() const noexcept { return base::mechanism(); }
};

template <class A>
inline constexpr bool thread_safe<checked<A>> = thread_safe<std::remove_reference_t<A>>;

/// Effects: reports writes around the blocks of `a`, or of the allocator that it is bound to or adapts, and into
/// those in quarantine. No effect without a registry, as in a release build.
template <class A>
void check([[maybe_unused]] const A& a) noexcept {
    if constexpr (requires { a.check(); }) {
        a.check();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::check(a.mechanism());
    }
}

/// Effects: sets the bounds of the quarantine of `a` (checking/quarantine.hpp). No effect without a registry.
template <class A>
void set_quarantine([[maybe_unused]] A& a, [[maybe_unused]] quarantine_bounds bounds) noexcept {
    if constexpr (requires { a.set_quarantine(bounds); }) {
        a.set_quarantine(bounds);
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::set_quarantine(a.mechanism(), bounds);
    }
}

/// Effects: reports the blocks of `a` that were not freed. No effect without a registry.
template <class A>
void expect_all_freed([[maybe_unused]] const A& a) noexcept {
    if constexpr (requires { a.expect_all_freed(); }) {
        a.expect_all_freed();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::expect_all_freed(a.mechanism());
    }
}

/// Effects: enables the report of blocks that were not freed, at each release and rewind of `a`, and in its
/// destructor.
template <class A>
void expect_all_freed_at_end([[maybe_unused]] A& a) noexcept {
    if constexpr (requires { a.expect_all_freed_at_end(); }) {
        a.expect_all_freed_at_end();
    } else if constexpr (requires { a.mechanism(); }) {
        mallard::expect_all_freed_at_end(a.mechanism());
    }
}

}} // namespace mallard::MALLARD_MODE

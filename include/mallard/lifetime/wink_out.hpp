/// Making an object that ends when its allocator is released, without its destructor.
///
///     mallard::monotonic arena;
///     auto& table = mallard::wink_out<my_table>(arena);    // in the arena, as is all that it allocates
///     ...
///     arena.release();                                     // the table is gone; nobody walked its nodes
///
/// Source: P0089R1, section 3; strategies AS4, AS6, AS8, AS10, AS12, AS14.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/lifetime/winkable.hpp>

#include <memory>
#include <memory_resource>
#include <utility>

namespace mallard::inline MALLARD_MODE {

/// Instantiated where a type may not be winked out; its name in the compiler's message tells the type that is
/// to blame.
template <class Culprit>
struct wink_out_would_leak {
    static_assert(sizeof(Culprit) == 0,
                  "wink_out: this type (Culprit) owns something outside the allocator, so its destructor "
                  "must run. Bind it to "
                  "the allocator, specialise mallard::winkable for it, or use mallard::assume_winkable.");
};
template <>
struct wink_out_would_leak<nothing> {};

/// Passed first to wink_out() by those who know better than the trait.
struct assume_winkable_t {};
inline constexpr assume_winkable_t assume_winkable{};

/// Effects: makes a T of `args` in memory of `mechanism`, and hands it the allocator where T takes one;
/// nobody checks that T may end without its destructor.
template <class T, local_allocator A, class... Args>
T& wink_out(assume_winkable_t, A& mechanism, Args&&... args) {
    auto* memory = static_cast<T*>(mechanism.allocate(sizeof(T), alignof(T)));
    return *std::uninitialized_construct_using_allocator(memory, allocator<std::byte, A>(mechanism),
                                                         std::forward<Args>(args)...);
}

/// Effects: as above, through the abstract base; nobody checks either that somebody will release `base`.
template <class T, class... Args>
T& wink_out(assume_winkable_t, std::pmr::memory_resource& base, Args&&... args) {
    auto* memory = static_cast<T*>(base.allocate(sizeof(T), alignof(T)));
    return *std::uninitialized_construct_using_allocator(memory, std::pmr::polymorphic_allocator<>(&base),
                                                         std::forward<Args>(args)...);
}

/// Effects: makes a T of `args` in memory of `mechanism`, and hands it the allocator where T takes one. Its
/// destructor never runs: it ends when the mechanism is released, rewound, rolled back or destroyed.
/// Requires: T is winkable in `mechanism`; otherwise the program does not compile, and the message names the
/// type to blame.
/// Returns: the object.
/// Throws: what the allocation and T's constructor throw.
template <class T, local_allocator A, class... Args>
T& wink_out(A& mechanism, Args&&... args) {
    static_cast<void>(wink_out_would_leak<wink_culprit_t<T, allocator<std::byte, A>>>{});
    return wink_out<T>(assume_winkable, mechanism, std::forward<Args>(args)...);
}

/// Effects: as above, for types that are bound through the abstract base.
template <class T, class A, class... Args>
    requires local_allocator<typename resource<A>::mechanism_type>
T& wink_out(resource<A>& binding, Args&&... args) {
    static_cast<void>(wink_out_would_leak<wink_culprit_t<T, std::pmr::polymorphic_allocator<std::byte>>>{});
    return wink_out<T>(assume_winkable, static_cast<std::pmr::memory_resource&>(binding),
                       std::forward<Args>(args)...);
}

} // namespace mallard::inline MALLARD_MODE

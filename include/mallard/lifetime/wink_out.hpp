/// Makes an object that ends when its allocator is released, without its destructor.
///
///     mallard::monotonic arena;
///     auto& table = mallard::wink_out<my_table>(arena);    // in the arena, as is all that it allocates
///     ...
///     arena.release();                                     // destroys the table without a walk over its nodes
///
/// Source: P0089R1, section 3; strategies AS4, AS6, AS8, AS10, AS12, AS14.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/lifetime/object_room.hpp>
#include <mallard/lifetime/winkable.hpp>

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <utility>

namespace mallard::lifetime { inline namespace MALLARD_MODE {

/// Instantiated for a type that may not be winked out; its name in the compiler's message has the type to blame.
template <class Culprit>
struct wink_out_would_leak {
    static_assert(
        sizeof(Culprit) == 0,
        "wink_out: this type (Culprit) owns something outside the allocator, so its destructor "
        "must run. Bind it to "
        "the allocator, specialise mallard::winkable for it, or pass mallard::assume_winkable first.");
};
template <class Held, class Holder>
struct wink_out_would_leak<out_of_reach<Held, Holder>> {
    static_assert(sizeof(Held) == 0,
                  "wink_out: the second type (Holder) does not hand the allocator to the first (Held), which "
                  "would take its memory elsewhere. Hold it in a container, a pair, a tuple or a class "
                  "with an allocator_type, or pass mallard::assume_winkable first.");
};
template <>
struct wink_out_would_leak<nothing> {};

}} // namespace mallard::lifetime::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// The first argument of wink_out() for callers that know better than the trait.
struct assume_winkable_t {};
inline constexpr assume_winkable_t assume_winkable{};

/// Effects: makes a T of `args` in memory of a mechanism or of a base, and hands it the allocator if T takes one.
/// Whether T may end without its destructor, and whether a base is ever released, is not checked.
template <class T, class Memory, class... Args>
    requires local_allocator<Memory> || std::is_base_of_v<std::pmr::memory_resource, Memory>
T& wink_out(assume_winkable_t, Memory& memory, Args&&... args) {
    static_assert(!std::is_array_v<T> || sizeof...(Args) == 0,
                  "wink_out: an array's elements are made without arguments");
    return lifetime::object_room<T, Memory>(memory).make(std::forward<Args>(args)...);
}

/// Effects: makes a T of `args` in memory of `mechanism`, and hands it the allocator if T takes one. Its
/// destructor never runs: it ends when the mechanism is released, rewound, rolled back or destroyed.
/// Requires: T is winkable in `mechanism`; otherwise the program does not compile, and the message names the type
/// to blame. If T is an array, there are no `args`: each element is value-initialised.
/// Returns: the object.
/// Throws: the exceptions of the allocation and of T's constructor. The room is deallocated then.
template <class T, local_allocator A, class... Args>
T& wink_out(A& mechanism, Args&&... args) {
    static_cast<void>(
        lifetime::wink_out_would_leak<lifetime::wink_culprit_t<T, lifetime::allocator_for_t<T, A>>>{});
    return wink_out<T>(assume_winkable, mechanism, std::forward<Args>(args)...);
}

/// Effects: makes a T of `args` in memory of `binding`'s mechanism, for types that are bound through the abstract
/// base or the inline base. Its destructor never runs: it ends with the memory.
/// Requires: T is winkable in `binding`; otherwise the program does not compile. If T is an array, there are no
/// `args`.
/// Returns: the object.
/// Throws: the exceptions of the allocation and of T's constructor. The room is deallocated then.
template <class T, class A, class... Args>
    requires local_allocator<typename resource<A>::mechanism_type>
T& wink_out(resource<A>& binding, Args&&... args) {
    static_cast<void>(
        lifetime::wink_out_would_leak<lifetime::wink_culprit_t<T, lifetime::allocator_through_base_t<T>>>{});
    return wink_out<T>(assume_winkable, binding, std::forward<Args>(args)...);
}

template <class T, std::derived_from<std::pmr::memory_resource> Base, class... Args>
    requires(!local_allocator<Base>)
T& wink_out(Base&, Args&&...) = delete; // it has no release(): pass a resource<A>&, or assume_winkable first

}} // namespace mallard::MALLARD_MODE

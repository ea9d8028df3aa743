/// The types that may end without their destructor when the memory of their allocator is released.
///
/// A type is winkable if it owns nothing but memory of the allocator that it was made with:
///
///     trivially destructible types                                     they own nothing
///     standard containers of winkable types, bound to that allocator   they own memory of it
///     stacks and queues on those                                       their container does
///     pairs and tuples of winkable types                               parts get the allocator
///     arrays, optionals, variants of winkable types without allocator  parts get no allocator
///     types of the user: template <> inline constexpr bool mallard::winkable<T> = true;
///
/// A string within std::optional is made without the allocator of the container around it: through the abstract
/// base it takes memory of the default resource, which would never go back. A string in a pair within a tuple
/// takes such memory too; with libc++, also one in a pair within a pair, or in a tuple that is a map's key. A
/// class with an allocator_type avoids it.
///
/// Containers, stacks and variants are known by their names and members, so that this header includes the headers of none.
///
/// The promise is about the elements that containers make. A copy of an element that the program makes is no part
/// of the container: a copy of a std::pmr::string takes the default resource, and needs its destructor.
///
/// Source: P0089R1, section 3 ("winking out"); [basic.life], [allocator.uses.construction] in the C++ standard.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/type_name.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mallard::lifetime { inline namespace MALLARD_MODE {

/// The absence of an allocator or of a culprit.
struct nothing {};

}} // namespace mallard::lifetime::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// True if the memory of `Alloc` can be released: a local allocator bound by type, or any allocator through a base,
/// of which only the call of wink_out() knows the mechanism.
template <class Alloc>
inline constexpr bool binds_local_allocator = false;
template <class T, local_allocator A, class OnCopy>
inline constexpr bool binds_local_allocator<allocator<T, A, OnCopy>> = true;
template <class T>
inline constexpr bool binds_local_allocator<std::pmr::polymorphic_allocator<T>> = true;
template <class T, class OnCopy>
inline constexpr bool binds_local_allocator<inline_allocator<T, OnCopy>> = true;

}} // namespace mallard::MALLARD_MODE

namespace mallard::lifetime { inline namespace MALLARD_MODE {

/// The first of the types that is not `nothing`.
template <class... Ts>
struct first_but_nothing {
    using type = nothing;
};
template <class T, class... Ts>
struct first_but_nothing<T, Ts...> {
    using type = T;
};
template <class... Ts>
struct first_but_nothing<nothing, Ts...> : first_but_nothing<Ts...> {};

/// A culprit: `Held` takes an allocator, and `Holder` hands it none.
template <class Held, class Holder>
struct out_of_reach {};

/// T::allocator_type, rebound to bytes, if its memory can be released; otherwise `nothing`.
template <class T>
struct named_home {
    using type = nothing;
};

template <class T>
    requires requires { typename T::allocator_type::value_type; }
struct named_home<T> {
    using own = typename std::allocator_traits<typename T::allocator_type>::template rebind_alloc<std::byte>;
    using type = std::conditional_t<binds_local_allocator<own>, own, nothing>;
};

/// The parts of a T, as the standard library's types have them. Each kind below has
///
///     home                          the allocator that a container within T is bound to, or `nothing`
///     culprit<T, Alloc, Barrier>    the first type within T that may not be winked out of memory of `Alloc`,
///                                   or `nothing`; `Barrier` keeps the allocator from T, or is void
template <class T>
struct wink_parts;

/// The first type within T that may not be winked out of memory of `Alloc`, or `nothing`.
template <class T, class Alloc, class Barrier = void>
using wink_culprit_t =
    typename wink_parts<std::remove_cv_t<T>>::template culprit<std::remove_cv_t<T>, Alloc, Barrier>;

template <class... Ts>
using first_wink_home = typename first_but_nothing<typename wink_parts<std::remove_cv_t<Ts>>::home...>::type;

}} // namespace mallard::lifetime::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// True if a T may be winked out, in some local allocator; false for types that are not object types. Specialise
/// it as true for a type that owns nothing outside the allocator it is made with, and as false for one that is
/// trivial for the language but owns something.
template <class T>
inline constexpr bool winkable = [] {
    if constexpr (!std::is_object_v<T> || std::is_unbounded_array_v<T>) {
        return false;
    } else if constexpr (lifetime::wink_parts<T>::opaque) {
        return std::is_trivially_destructible_v<T> && !std::is_abstract_v<T>;
    } else {
        using any = std::pmr::polymorphic_allocator<std::byte>;
        using bound = typename lifetime::first_but_nothing<typename lifetime::wink_parts<T>::home, any>::type;
        return std::is_same_v<lifetime::wink_culprit_t<T, bound>, lifetime::nothing>;
    }
}();
template <class T>
inline constexpr bool winkable<const T> = winkable<T>;
template <class T>
inline constexpr bool winkable<volatile T> = winkable<T>;
template <class T>
inline constexpr bool winkable<const volatile T> = winkable<T>;

}} // namespace mallard::MALLARD_MODE

namespace mallard::lifetime { inline namespace MALLARD_MODE {

/// Any other type is judged by its destructor, or by a specialisation of `winkable`.
template <class T>
struct wink_parts {
    static constexpr bool opaque = true;
    using home = typename named_home<T>::type;

    template <class Self, class Alloc, class Barrier>
    static constexpr bool misses_allocator =
        !std::is_void_v<Barrier> && !std::is_trivially_destructible_v<Self> &&
        std::uses_allocator_v<Self, Alloc>;

    template <class Self, class Alloc, class Barrier>
    using culprit = std::conditional_t<
        !winkable<Self>, Self,
        std::conditional_t<misses_allocator<Self, Alloc, Barrier>, out_of_reach<Self, Barrier>, nothing>>;
};

/// A container is the culprit if it takes its memory elsewhere, or is not given its allocator; otherwise an
/// element may be. `Others`, which compare and hash, get no allocator.
template <class A, class Element, class... Others>
struct wink_container {
    static constexpr bool opaque = false;
    using own = typename std::allocator_traits<A>::template rebind_alloc<std::byte>;
    using home = std::conditional_t<binds_local_allocator<own>, own, nothing>;

    template <class Self, class Alloc, class Barrier>
    using itself =
        std::conditional_t<!std::is_same_v<home, Alloc>, Self,
                           std::conditional_t<std::is_void_v<Barrier>, nothing, out_of_reach<Self, Barrier>>>;

    template <class Self, class Alloc, class Barrier>
    using culprit = typename first_but_nothing<itself<Self, Alloc, Barrier>, wink_culprit_t<Element, Alloc>,
                                               wink_culprit_t<Others, Alloc, Self>...>::type;
};

/// Stacks and queues hand the allocator to their container.
template <class Container, class... Others>
struct wink_adapter {
    static constexpr bool opaque = false;
    using home = first_wink_home<Container>;

    template <class Self, class Alloc, class Barrier>
    using culprit = typename first_but_nothing<wink_culprit_t<Container, Alloc, Barrier>,
                                               wink_culprit_t<Others, Alloc, Self>...>::type;
};

/// Arrays, optionals and variants hand no allocator to their parts.
template <class... Parts>
struct wink_holder {
    static constexpr bool opaque = false;
    using home = first_wink_home<Parts...>;

    template <class Self, class Alloc, class>
    using culprit = typename first_but_nothing<wink_culprit_t<Parts, Alloc, Self>...>::type;
};

/// A tuple hands the allocator to parts with std::uses_allocator: no pair has it, nor a constant tuple.
template <class... Parts>
struct wink_tuple {
    static constexpr bool opaque = false;
    using home = first_wink_home<Parts...>;

    template <class Self, class Part, class Alloc, class Barrier>
    using barrier =
        std::conditional_t<std::is_void_v<Barrier> && !std::uses_allocator_v<Part, Alloc>, Self, Barrier>;

    template <class Self, class Alloc, class Barrier>
    using culprit = typename first_but_nothing<
        wink_culprit_t<Parts, Alloc, barrier<Self, Parts, Alloc, Barrier>>...>::type;
};

/// A pair hands the allocator to its parts, pairs and constant ones too. In libc++ a pair works like a tuple.
#ifdef _LIBCPP_VERSION
template <class T, class U>
using wink_pair = wink_tuple<T, U>;
#else
template <class T, class U>
struct wink_pair {
    static constexpr bool opaque = false;
    using home = first_wink_home<T, U>;

    template <class Self, class Alloc, class Barrier>
    using culprit = typename first_but_nothing<wink_culprit_t<T, Alloc, Barrier>,
                                               wink_culprit_t<U, Alloc, Barrier>>::type;
};
#endif

/// True for types of the standard library but those below, which are not to be instantiated here: a pair of containers that have
/// no default may not compile then.
template <class T>
inline constexpr bool may_be_container = [] {
    const std::string_view name = core::standard_name<T>();
    return !name.empty() && name != "pair" && name != "tuple" && name != "array" && name != "optional" &&
           name != "variant";
}();

/// A container of the standard library: it owns its elements, and functions that compare or hash them.
template <class T>
concept standard_container = may_be_container<T> && requires {
    typename T::allocator_type;
    typename T::value_type;
    typename T::const_iterator;
};

template <standard_container T>
struct wink_parts<T> : wink_container<typename T::allocator_type, typename T::value_type> {};
template <standard_container T>
    requires requires { typename T::key_compare; }
struct wink_parts<T>
    : wink_container<typename T::allocator_type, typename T::value_type, typename T::key_compare> {};
template <standard_container T>
    requires requires { typename T::hasher; }
struct wink_parts<T> : wink_container<typename T::allocator_type, typename T::value_type, typename T::hasher,
                                      typename T::key_equal> {};

/// std::stack, queue and priority_queue.
template <class T>
concept standard_container_adapter = may_be_container<T> && requires {
    typename T::container_type;
    typename T::size_type;
};

template <standard_container_adapter T>
struct wink_parts<T> : wink_adapter<typename T::container_type> {};
template <standard_container_adapter T>
    requires requires { typename T::value_compare; }
struct wink_parts<T> : wink_adapter<typename T::container_type, typename T::value_compare> {};

template <template <class...> class Variant, class... Ts>
    requires(core::standard_name<Variant<Ts...>>() == "variant")
struct wink_parts<Variant<Ts...>> : wink_holder<Ts...> {};

template <class T, class U>
struct wink_parts<std::pair<T, U>> : wink_pair<T, U> {};
template <class... Ts>
struct wink_parts<std::tuple<Ts...>> : wink_tuple<Ts...> {};
template <class T>
struct wink_parts<std::optional<T>> : wink_holder<T> {};
template <class T, std::size_t N>
struct wink_parts<std::array<T, N>> : wink_holder<T> {};
template <class T>
struct wink_parts<std::array<T, 0>> : wink_holder<> {};
template <class T, std::size_t N>
struct wink_parts<T[N]> : wink_holder<T> {};
template <class T>
struct wink_parts<T&> : wink_holder<> {};
template <class T>
struct wink_parts<T&&> : wink_holder<> {};

}} // namespace mallard::lifetime::MALLARD_MODE

/// Which types may end without their destructor when the memory of their allocator is released.
///
/// A type is winkable where it owns nothing but memory of the allocator it was made with:
///
///     trivially destructible types                                    they own nothing
///     standard containers of winkable types, bound to that allocator   they own that memory
///     pairs, tuples, arrays, optionals and variants of winkable types
///     types of yours: template <> inline constexpr bool mallard::winkable<T> = true;
///
/// Source: P0089R1, section 3 ("winking out"); [basic.life] in the C++ standard.
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/core/build_mode.hpp>

#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace mallard::inline MALLARD_MODE {

/// Stands for "no type stands in the way".
struct nothing {};

/// Whether `Alloc` takes its memory from a place that can be released: one of ours bound by type, or any
/// through the abstract base, where only the place where the object is made can tell.
template <class Alloc>
inline constexpr bool binds_local_allocator = false;
template <class T, local_allocator A>
inline constexpr bool binds_local_allocator<allocator<T, A>> = true;
template <class T>
inline constexpr bool binds_local_allocator<std::pmr::polymorphic_allocator<T>> = true;

/// What T consists of, as far as the standard library's types tell: `type` is the first part that may not be
/// winked out of memory of `Alloc`, or `nothing`. `Alloc` is std::false_type while no container has named an
/// allocator yet. The primary template is for types of which nothing is known but whether they have a
/// destructor.
template <class T, class Alloc>
struct wink_parts {
    static constexpr bool opaque = true;
    using type = std::conditional_t<std::is_trivially_destructible_v<T>, nothing, T>;
};

/// Whether a T may be winked out, in some local allocator. Specialise it as true for a type of yours that
/// owns nothing outside the allocator it is made with.
template <class T>
inline constexpr bool winkable = std::is_same_v<typename wink_parts<T, std::false_type>::type, nothing>;
template <class T>
inline constexpr bool winkable<const T> = winkable<T>;

template <class T, class Alloc, bool Opaque>
struct wink_culprit {
    using type = std::conditional_t<winkable<T>, nothing, T>;
};
template <class T, class Alloc>
struct wink_culprit<T, Alloc, false> : wink_parts<T, Alloc> {};

/// The first type within T that may not be winked out of memory of `Alloc`, or `nothing`.
template <class T, class Alloc>
using wink_culprit_t =
    typename wink_culprit<std::remove_cv_t<T>, Alloc, wink_parts<std::remove_cv_t<T>, Alloc>::opaque>::type;

/// The first culprit among several types.
template <class Alloc, class... Ts>
struct first_wink_culprit {
    static constexpr bool opaque = false;
    using type = nothing;
};
template <class Alloc, class T, class... Ts>
struct first_wink_culprit<Alloc, T, Ts...> {
    static constexpr bool opaque = false;
    using own = wink_culprit_t<T, Alloc>;
    using type = typename std::conditional_t<std::is_same_v<own, nothing>, first_wink_culprit<Alloc, Ts...>,
                                             std::type_identity<own>>::type;
};

/// A container is the culprit itself where it takes its memory elsewhere; otherwise one of its elements may
/// be.
template <class Container, class Alloc, class... Elements>
struct container_wink_culprit {
    static constexpr bool opaque = false;
    using own_alloc =
        typename std::allocator_traits<typename Container::allocator_type>::template rebind_alloc<std::byte>;
    static constexpr bool at_home =
        binds_local_allocator<own_alloc> &&
        (std::is_same_v<Alloc, std::false_type> || std::is_same_v<Alloc, own_alloc>);
    using type = typename std::conditional_t<at_home, first_wink_culprit<own_alloc, Elements...>,
                                             std::type_identity<Container>>::type;
};

template <class T, class A, class Alloc>
struct wink_parts<std::vector<T, A>, Alloc> : container_wink_culprit<std::vector<T, A>, Alloc, T> {};
template <class T, class A, class Alloc>
struct wink_parts<std::deque<T, A>, Alloc> : container_wink_culprit<std::deque<T, A>, Alloc, T> {};
template <class T, class A, class Alloc>
struct wink_parts<std::list<T, A>, Alloc> : container_wink_culprit<std::list<T, A>, Alloc, T> {};
template <class T, class A, class Alloc>
struct wink_parts<std::forward_list<T, A>, Alloc>
    : container_wink_culprit<std::forward_list<T, A>, Alloc, T> {};
template <class C, class R, class A, class Alloc>
struct wink_parts<std::basic_string<C, R, A>, Alloc>
    : container_wink_culprit<std::basic_string<C, R, A>, Alloc, C> {};
template <class K, class C, class A, class Alloc>
struct wink_parts<std::set<K, C, A>, Alloc> : container_wink_culprit<std::set<K, C, A>, Alloc, K, C> {};
template <class K, class C, class A, class Alloc>
struct wink_parts<std::multiset<K, C, A>, Alloc>
    : container_wink_culprit<std::multiset<K, C, A>, Alloc, K, C> {};
template <class K, class V, class C, class A, class Alloc>
struct wink_parts<std::map<K, V, C, A>, Alloc>
    : container_wink_culprit<std::map<K, V, C, A>, Alloc, K, V, C> {};
template <class K, class V, class C, class A, class Alloc>
struct wink_parts<std::multimap<K, V, C, A>, Alloc>
    : container_wink_culprit<std::multimap<K, V, C, A>, Alloc, K, V, C> {};
template <class K, class H, class E, class A, class Alloc>
struct wink_parts<std::unordered_set<K, H, E, A>, Alloc>
    : container_wink_culprit<std::unordered_set<K, H, E, A>, Alloc, K, H, E> {};
template <class K, class H, class E, class A, class Alloc>
struct wink_parts<std::unordered_multiset<K, H, E, A>, Alloc>
    : container_wink_culprit<std::unordered_multiset<K, H, E, A>, Alloc, K, H, E> {};
template <class K, class V, class H, class E, class A, class Alloc>
struct wink_parts<std::unordered_map<K, V, H, E, A>, Alloc>
    : container_wink_culprit<std::unordered_map<K, V, H, E, A>, Alloc, K, V, H, E> {};
template <class K, class V, class H, class E, class A, class Alloc>
struct wink_parts<std::unordered_multimap<K, V, H, E, A>, Alloc>
    : container_wink_culprit<std::unordered_multimap<K, V, H, E, A>, Alloc, K, V, H, E> {};

template <class T, class U, class Alloc>
struct wink_parts<std::pair<T, U>, Alloc> : first_wink_culprit<Alloc, T, U> {};
template <class... Ts, class Alloc>
struct wink_parts<std::tuple<Ts...>, Alloc> : first_wink_culprit<Alloc, Ts...> {};
template <class... Ts, class Alloc>
struct wink_parts<std::variant<Ts...>, Alloc> : first_wink_culprit<Alloc, Ts...> {};
template <class T, class Alloc>
struct wink_parts<std::optional<T>, Alloc> : first_wink_culprit<Alloc, T> {};
template <class T, std::size_t N, class Alloc>
struct wink_parts<std::array<T, N>, Alloc> : first_wink_culprit<Alloc, T> {};
template <class T, std::size_t N, class Alloc>
struct wink_parts<T[N], Alloc> : first_wink_culprit<Alloc, T> {};

} // namespace mallard::inline MALLARD_MODE

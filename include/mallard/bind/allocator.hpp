/// Binding by type parameter: a standard allocator that names the mechanism in its type.
///
///     mallard::multipool pool;
///     std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers{pool};
///
/// Data model: one pointer to the mechanism. Calls are direct and inline. Elements that take this allocator are
/// made with it, to any depth (uses-allocator construction), so that a container of containers lies wholly in one
/// place without std::scoped_allocator_adaptor. The allocator propagates like std::pmr::polymorphic_allocator,
/// because a container keeps its place. Copy assignment, move assignment and swap leave the allocator alone;
/// swapping containers with unequal allocators is undefined. `OnCopy` selects the mechanism of a copy of a
/// container: that of the original, unless another policy is named (bind/on_copy.hpp).
///
/// Bindings mix: if A is a base of the mechanism or a class derived from one, such as inline_resource, the allocator converts
/// to that of the base, so that a std::pmr::string in a container lies where the container does. If A is no
/// std::pmr::memory_resource, the program does not compile, because such a string would use the default resource.
///
/// Source: P0089R1, section 4 (AS3, AS4, AS7, AS8, AS11, AS12).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_LIBRARY {

/// The result of allocate_at_least(): std::allocation_result, if the standard library has it.
#ifdef __cpp_lib_allocate_at_least
template <class T>
using allocation_result = std::allocation_result<T*, std::size_t>;
#else
template <class T>
struct allocation_result {
    T* ptr;
    std::size_t count;
};
#endif

template <class A>
concept has_default = stateless_upstream<A> || requires {
    { A::default_resource() } -> std::same_as<A*>;
};

/// Returns: the mechanism of a default-constructed allocator.
template <has_default A>
[[nodiscard]] A* default_mechanism() noexcept {
    if constexpr (stateless_upstream<A>) {
        static constinit A instance{};
        return std::addressof(instance);
    } else {
        return A::default_resource();
    }
}

/// True if an allocator of a `Derived` can be one of a `Base`, whose calls are virtual or decide by themselves whose they are.
template <class Base, class Derived>
concept base_of_mechanism = std::has_virtual_destructor_v<Base> && std::convertible_to<Derived*, Base*>;

/// The number of arguments of a class of a template, default arguments included. The class is not instantiated.
template <class T>
inline constexpr std::size_t argument_count = 0;
template <template <class...> class C, class... Ts>
inline constexpr std::size_t argument_count<C<Ts...>> = sizeof...(Ts);

/// True for an allocator like std::pmr::polymorphic_allocator, which refers to a base of A. A concept, so that
/// the header of std::pmr need not be included. A container with default arguments, for which clang++ asks too, is not
/// instantiated: its default hash may be none.
template <class Alloc, class A>
concept polymorphic_over =
    std::has_virtual_destructor_v<A> && argument_count<Alloc> == 1 && requires(const Alloc& a, A* mechanism) {
        requires std::convertible_to<A*, decltype(a.resource())>;
        Alloc(mechanism);
    };

/// True for an allocator that refers to a base and has a default: std::pmr::polymorphic_allocator, inline_allocator.
template <class Alloc>
concept has_default_base =
    std::default_initializable<Alloc> && (requires(const Alloc& a) {
        requires std::has_virtual_destructor_v<std::remove_pointer_t<decltype(a.resource())>>;
    } || requires(const Alloc& a) {
        requires std::has_virtual_destructor_v<std::remove_reference_t<decltype(a.mechanism())>>;
        requires has_default<std::remove_reference_t<decltype(a.mechanism())>>;
        Alloc(std::addressof(a.mechanism())); // not an allocator whose type names the mechanism
    });

/// True if a T made by `Alloc` would silently take its memory from the default of a base: its allocator refers to one, and
/// `Alloc` is no such allocator. Also true for pairs and tuples with such a part.
template <class T, class Alloc>
inline constexpr bool loses_allocator = [] {
    if constexpr (requires { typename T::allocator_type; }) {
        return has_default_base<typename T::allocator_type> && !std::uses_allocator_v<T, Alloc>;
    } else {
        return false;
    }
}();
template <class T, class Alloc>
inline constexpr bool loses_allocator<const T, Alloc> = loses_allocator<T, Alloc>;
template <class T, class U, class Alloc>
inline constexpr bool loses_allocator<std::pair<T, U>, Alloc> =
    loses_allocator<T, Alloc> || loses_allocator<U, Alloc>;
template <class... Ts, class Alloc>
inline constexpr bool loses_allocator<std::tuple<Ts...>, Alloc> = (... || loses_allocator<Ts, Alloc>);

/// True if a T made by `Alloc` needs the allocator: T is allocator-aware, or a pair with such a half.
template <class T, class Alloc>
inline constexpr bool takes_allocator = std::uses_allocator_v<T, Alloc>;
template <class T, class U, class Alloc>
inline constexpr bool takes_allocator<std::pair<T, U>, Alloc> =
    takes_allocator<std::remove_cv_t<T>, Alloc> || takes_allocator<std::remove_cv_t<U>, Alloc>;

/// True if a T can be made of `Args`, with an `Alloc` among them if T takes one. The halves of a pair are looked at only if
/// each has its own arguments.
template <class T, class Alloc, class... Args>
inline constexpr bool constructible_with = [] {
    if constexpr (std::uses_allocator_v<std::remove_cv_t<T>, Alloc>) {
        return std::is_constructible_v<T, std::allocator_arg_t, const Alloc&, Args...> ||
               std::is_constructible_v<T, Args..., const Alloc&>;
    } else { // std::is_constructible asks for a destructor too
        return requires(void* p) { ::new (p) T(std::declval<Args>()...); };
    }
}();
template <class T, class U, class Alloc, class... Args>
inline constexpr bool constructible_with<std::pair<T, U>, Alloc, Args...> = true;
template <class T, class U, class Alloc, class Piecewise, class... Ts, class... Us>
inline constexpr bool
    constructible_with<std::pair<T, U>, Alloc, Piecewise, std::tuple<Ts...>, std::tuple<Us...>> =
        constructible_with<T, Alloc, Ts...> && constructible_with<U, Alloc, Us...>;

/// True if an argument is an allocator for what `Alloc` makes, or a tuple with one.
template <class Arg, class Alloc>
inline constexpr bool hands_allocator =
    std::is_same_v<Arg, std::allocator_arg_t> || std::is_convertible_v<Arg&, Alloc>;
template <class... Ts, class Alloc>
inline constexpr bool hands_allocator<std::tuple<Ts...>, Alloc> =
    (... || hands_allocator<std::remove_cvref_t<Ts>, Alloc>);

/// True if an argument names the memory of an object with the allocator `Own`: it is one, or of a class that stands for its
/// base, as boost::json::storage_ptr does.
template <class Arg, class Own>
inline constexpr bool names_memory = [] {
    if constexpr (hands_allocator<Arg, Own>) {
        return true;
    } else if constexpr (requires(const Own& a) { a.resource(); }) {
        return std::is_class_v<Arg> && std::is_convertible_v<decltype(std::declval<Own>().resource()), Arg>;
    } else {
        return false;
    }
}();

/// Effects: none. The program does not compile if a T that `Alloc` makes of `Args` would silently take its memory elsewhere.
template <class T, class Alloc, class... Args>
constexpr void require_same_memory() noexcept {
    if constexpr (loses_allocator<T, Alloc>) {
        constexpr bool has_own = [] {
            if constexpr (requires { typename T::allocator_type; }) {
                return (... || names_memory<std::remove_cvref_t<Args>, typename T::allocator_type>);
            } else {
                return false;
            }
        }();
        static_assert(
            has_own,
            "mallard: the object allocates through a base (std::pmr, inline_allocator), and this mechanism "
            "is not one, so its memory would lie elsewhere: hand it a resource, or use a mallard::resource");
    }
}

/// Effects: makes a T at `p` of `args`, and hands it the allocator if it takes one. A T that is moved keeps its memory, which the
/// caller chose; in a container it may be a temporary that push_back() made of other arguments.
template <class T, class Alloc, class... Args>
void construct_with(T* p, const Alloc& allocator, Args&&... args) {
    if constexpr (!std::is_same_v<std::tuple<Args...>, std::tuple<T>>) {
        require_same_memory<T, Alloc, Args...>();
    }
    constexpr bool has_constructor = constructible_with<T, Alloc, Args...>;
    static_assert(has_constructor,
                  "T has no constructor that takes these arguments (and the allocator, if T takes one)");
    if constexpr (has_constructor) {
        std::uninitialized_construct_using_allocator(p, allocator, std::forward<Args>(args)...);
    }
}

/// Effects: makes an element of a container, as construct() of an allocator does it.
template <class T, class Alloc, class... Args>
void construct_element(T* p, const Alloc& allocator, Args&&... args) {
    require_same_memory<T, Alloc, Args...>();
    if constexpr (constructible_with<T, Alloc, Args...>) {
        std::uninitialized_construct_using_allocator(p, allocator, std::forward<Args>(args)...);
    } else {
        static_assert(
            (... || hands_allocator<std::remove_cvref_t<Args>, Alloc>),
            "mallard: the element has an allocator_type, and no constructor that takes these arguments "
            "with an allocator: its memory would lie elsewhere");
        std::construct_at(p, std::forward<Args>(args)...);
    }
}

}} // namespace mallard::bind::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

/// A copy of a container uses the mechanism of the original. It must not outlive that.
struct shared_on_copy {
    template <class A>
    [[nodiscard]] static A& of_copy(A& mechanism) noexcept {
        return mechanism;
    }
};

/// `OnCopy` has a static function of_copy(A&), which returns the mechanism of a container's copy.
template <class T, upstream A, class OnCopy = shared_on_copy>
class allocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::false_type;
    using is_always_equal = std::bool_constant<stateless_upstream<A>>;

    /// Effects: binds to the default resource of an inline base, mallard::new_delete_resource(), or to a mechanism without
    /// state. Another mechanism has no instance for the whole program, so an allocator of it takes one;
    /// static_allocator<T, Tag> names it by a type.
    allocator() noexcept
        requires bind::has_default<A>
        : mechanism_(bind::default_mechanism<A>()) {}

#if defined(__clang__) && defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 14
    /// clang++ looks it up where the library only asks whether a string can be made, because the constructors of strings have
    /// it as a default argument. No program can call it.
    [[gnu::error(
        "a mechanism with state has no default: give the container its allocator")]] allocator() noexcept
        requires(!bind::has_default<A>);
#else
    allocator() noexcept // a mechanism with state has no default: give the container its allocator
        requires(!bind::has_default<A>)
    = delete;
#endif

    /// Requires: `mechanism` outlives all that is allocated here.
    allocator(A& mechanism) noexcept : mechanism_(std::addressof(mechanism)) {}

    /// Requires: `mechanism` is not null and outlives all that is allocated here.
    allocator(A* mechanism) noexcept : mechanism_(mechanism) {
        if constexpr (requires { A::expect_not_null(mechanism); }) { // a checked one
            A::expect_not_null(mechanism);
        }
    }

    allocator(std::nullptr_t) = delete; // it needs a mechanism

    template <class U>
    allocator(const allocator<U, A, OnCopy>& other) noexcept
        : mechanism_(std::addressof(other.mechanism())) {}

    /// Effects: binds to a base of the mechanism of `other`, whatever policy either has.
    template <class U, class Derived, class OtherOnCopy>
        requires bind::base_of_mechanism<A, Derived>
    allocator(const allocator<U, Derived, OtherOnCopy>& other) noexcept
        : mechanism_(std::addressof(other.mechanism())) {}

    /// Returns: the allocator of a std::pmr container, with this mechanism as its resource.
    template <template <class> class Polymorphic, class U>
        requires bind::polymorphic_over<Polymorphic<U>, A>
    operator Polymorphic<U>() const noexcept {
        return Polymorphic<U>(mechanism_);
    }

    /// Throws: std::bad_array_new_length if the size of `n` objects is not representable; the mechanism's exceptions.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > max_size()) [[unlikely]] {
            core::fail_array_length(n, sizeof(T), alignof(T));
        }
        return static_cast<T*>(mechanism_->allocate(n * sizeof(T), alignof(T)));
    }

    /// Returns: the result of allocate(); null if it would throw.
    [[nodiscard]] T* try_allocate(std::size_t n) noexcept
        requires nothrow_upstream<A>
    {
        return n > max_size() ? nullptr
                              : static_cast<T*>(mechanism_->try_allocate(n * sizeof(T), alignof(T)));
    }

    /// Returns: room for at least `n` objects, and for how many, as std::allocator_traits asks for it in C++23. It goes
    /// back by deallocate() with any number from `n` to that.
    /// Throws: the exceptions of allocate().
    [[nodiscard]] bind::allocation_result<T> allocate_at_least(std::size_t n)
        requires requires(A& a) { a.allocate_at_least(n, n).bytes; }
    {
        if (n > max_size()) [[unlikely]] {
            core::fail_array_length(n, sizeof(T), alignof(T));
        }
        const auto block = mechanism_->allocate_at_least(n * sizeof(T), alignof(T));
        return {static_cast<T*>(block.p), block.bytes / sizeof(T)};
    }

    /// Requires: `p` came from allocate(n) of an equal allocator and was not deallocated since.
    void deallocate(T* p, std::size_t n) noexcept {
        core::give_back(*mechanism_, p, n * sizeof(T), alignof(T));
    }

    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return PTRDIFF_MAX / sizeof(T); }

    /// Effects: makes a U at `p` and hands it this allocator, unless `args` have one already, as those of
    /// std::scoped_allocator_adaptor do. std::allocator_traits makes types that take none.
    template <class U, class... Args>
        requires bind::takes_allocator<U, allocator<U, A, OnCopy>> ||
                 bind::loses_allocator<U, allocator<U, A, OnCopy>>
    void construct(U* p, Args&&... args) {
        bind::construct_element(p, allocator<U, A, OnCopy>(*this), std::forward<Args>(args)...);
    }

    [[nodiscard]] allocator select_on_container_copy_construction() const noexcept {
        return OnCopy::of_copy(*mechanism_);
    }

    [[nodiscard]] A& mechanism() const noexcept { return *mechanism_; }

private:
    A* mechanism_;
};

/// Two allocators are equal if either can free the blocks of the other: always if the mechanism has no state.
template <class T, class U, class A, class OnCopy>
[[nodiscard]] bool operator==(const allocator<T, A, OnCopy>& a, const allocator<U, A, OnCopy>& b) noexcept {
    return stateless_upstream<A> || std::addressof(a.mechanism()) == std::addressof(b.mechanism());
}

}} // namespace mallard::MALLARD_LIBRARY

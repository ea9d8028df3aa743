/// Binding by type parameter: a standard allocator that names the mechanism in its type.
///
///     mallard::multipool pool;
///     std::list<int, mallard::allocator<int, mallard::multipool<>>> numbers{pool};
///
/// Data model: one pointer to the mechanism. Calls are direct and inline. Elements that take this allocator are
/// made with it, to any depth (uses-allocator construction), so that a container of containers lies wholly in one
/// place without std::scoped_allocator_adaptor. The allocator propagates like std::pmr::polymorphic_allocator,
/// because a container keeps its place. Copy assignment, move assignment and swap leave the allocator alone;
/// swapping containers with unequal allocators is undefined. A copy of a container uses the allocator of the
/// original.
///
/// Source: P0089R1, section 4 (AS3, AS4, AS7, AS8, AS11, AS12).
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/failure.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mallard::bind::inline MALLARD_LIBRARY {

/// True if a T made by `Alloc` needs the allocator: T is allocator-aware, or a pair with such a half.
template <class T, class Alloc>
inline constexpr bool takes_allocator = std::uses_allocator_v<T, Alloc>;
template <class T, class U, class Alloc>
inline constexpr bool takes_allocator<std::pair<T, U>, Alloc> =
    takes_allocator<std::remove_cv_t<T>, Alloc> || takes_allocator<std::remove_cv_t<U>, Alloc>;

} // namespace mallard::bind::inline MALLARD_LIBRARY

namespace mallard::inline MALLARD_LIBRARY {

template <class T, upstream A>
class allocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::false_type;
    using is_always_equal = std::false_type;

    /// Requires: `mechanism` outlives all that is allocated here.
    allocator(A& mechanism) noexcept : mechanism_(std::addressof(mechanism)) {}

    /// Requires: `mechanism` is not null; as of a reference.
    allocator(A* mechanism) noexcept : mechanism_(mechanism) {}

    template <class U>
    allocator(const allocator<U, A>& other) noexcept : mechanism_(std::addressof(other.mechanism())) {}

    /// Throws: std::bad_alloc, also if the size of `n` objects is not representable.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > max_size()) [[unlikely]] {
            core::fail_allocation(SIZE_MAX, alignof(T));
        }
        return static_cast<T*>(mechanism_->allocate(n * sizeof(T), alignof(T)));
    }

    void deallocate(T* p, std::size_t n) noexcept { mechanism_->deallocate(p, n * sizeof(T), alignof(T)); }

    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return PTRDIFF_MAX / sizeof(T); }

    /// Effects: makes a U at `p` and hands it this allocator. std::allocator_traits makes types that take none.
    template <class U, class... Args>
        requires bind::takes_allocator<U, allocator<U, A>>
    void construct(U* p, Args&&... args) {
        std::uninitialized_construct_using_allocator(p, allocator<U, A>(*this), std::forward<Args>(args)...);
    }

    [[nodiscard]] allocator select_on_container_copy_construction() const noexcept { return *this; }

    [[nodiscard]] A& mechanism() const noexcept { return *mechanism_; }

private:
    A* mechanism_;
};

/// Two allocators are equal if either can free the blocks of the other.
template <class T, class U, class A>
[[nodiscard]] bool operator==(const allocator<T, A>& a, const allocator<U, A>& b) noexcept {
    return std::addressof(a.mechanism()) == std::addressof(b.mechanism());
}

} // namespace mallard::inline MALLARD_LIBRARY

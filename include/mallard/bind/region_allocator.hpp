/// Binding for memory that is mapped at another address: a standard allocator whose pointers are distances.
///
///     using numbers = std::vector<int, mallard::region_allocator<int>>;
///     mallard::region_heap& heap = mallard::region_heap::open_in(region);
///     numbers* const all = heap.find_root<numbers>("numbers");
///
/// Data model: one offset_ptr to the heap, so that a container in the region contains no address, and works in every process
/// that maps the region. Elements that take this allocator are made with it, to any depth.
///
/// Containers need to store the allocator's pointer type: std::vector does, Boost.Container and Boost.Unordered do, and
/// the list, the map and the hash tables of libc++. Those of libstdc++ 12 do not compile; nor do elements that name the
/// address space of one process: pointers, classes with virtual functions, containers with another allocator.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1 (shared memory).
#pragma once

#include <mallard/bind/allocator.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/offset_ptr.hpp>
#include <mallard/local/region_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_LIBRARY {

/// True for the nodes of libstdc++'s lists and hash tables, whose links are addresses whatever the allocator.
template <class T>
concept node_of_addresses =
    requires(T& node) { requires std::is_pointer_v<std::remove_reference_t<decltype((node._M_next))>>; } ||
    requires(T& node) { requires std::is_pointer_v<std::remove_reference_t<decltype((node._M_nxt))>>; } ||
    requires(T& node) { requires std::is_pointer_v<std::remove_reference_t<decltype((node._M_left))>>; };

/// True if a T would take its memory elsewhere than `Alloc` does, whose containers hold it: it has an allocator, but not that
/// one. Also true for pairs and tuples with such a part.
template <class T, class Alloc>
inline constexpr bool allocates_elsewhere = [] {
    if constexpr (requires { typename T::allocator_type; }) {
        return !std::uses_allocator_v<T, Alloc>;
    } else {
        return false;
    }
}();
template <class T, class Alloc>
inline constexpr bool allocates_elsewhere<const T, Alloc> = allocates_elsewhere<T, Alloc>;
template <class T, class U, class Alloc>
inline constexpr bool allocates_elsewhere<std::pair<T, U>, Alloc> =
    allocates_elsewhere<T, Alloc> || allocates_elsewhere<U, Alloc>;
template <class... Ts, class Alloc>
inline constexpr bool allocates_elsewhere<std::tuple<Ts...>, Alloc> = (... || allocates_elsewhere<Ts, Alloc>);

/// True if a T holds an address of one process: it is a pointer, or has virtual functions. Also true for pairs and tuples with
/// such a part.
template <class T>
inline constexpr bool holds_address = std::is_pointer_v<T> || std::is_polymorphic_v<T>;
template <class T, class U>
inline constexpr bool holds_address<std::pair<T, U>> = holds_address<T> || holds_address<U>;
template <class... Ts>
inline constexpr bool holds_address<std::tuple<Ts...>> = (... || holds_address<Ts>);

}} // namespace mallard::bind::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_MODE {

template <class T>
class region_allocator {
public:
    using value_type = T;
    using pointer = offset_ptr<T>;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::false_type;
    using is_always_equal = std::false_type;

    region_allocator(region_heap& heap) noexcept : heap_(std::addressof(heap)) {}

    template <class U>
    region_allocator(const region_allocator<U>& other) noexcept : heap_(std::addressof(other.mechanism())) {}

    /// Effects: as region_allocator(other.mechanism()), for make() and other functions that hand on an allocator.
    template <class U, class OnCopy>
    region_allocator(const allocator<U, region_heap, OnCopy>& other) noexcept
        : heap_(std::addressof(other.mechanism())) {}

    /// Throws: std::bad_array_new_length if the size of `n` objects is not representable; std::bad_alloc if the region has no
    /// such block.
    [[nodiscard]] pointer allocate(std::size_t n) {
        static_assert(!bind::holds_address<T> && !bind::node_of_addresses<T>,
                      "mallard: this container or element stores addresses, which another process does not "
                      "share: use offset_ptr, containers that store the allocator's pointer type "
                      "(std::vector, Boost.Container), and no virtual functions");
        if (n > max_size()) [[unlikely]] {
            core::fail_array_length(n, sizeof(T), alignof(T));
        }
        return static_cast<T*>(heap_->allocate(n * sizeof(T), alignof(T)));
    }

    /// Requires: `p` came from allocate(n) of an equal allocator and was not deallocated since.
    void deallocate(const pointer& p, std::size_t n) noexcept {
        core::give_back(*heap_, p.get(), n * sizeof(T), alignof(T));
    }

    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return PTRDIFF_MAX / sizeof(T); }

    /// Effects: makes a U at `p` and hands it this allocator if it takes one. It does not compile for a U that would refer to
    /// memory of one process.
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        static_assert(
            !bind::holds_address<U>,
            "mallard: the element holds an address, or has virtual functions, which lie elsewhere in "
            "another process: use offset_ptr");
        static_assert(!bind::allocates_elsewhere<U, region_allocator<U>>,
                      "mallard: the element allocates elsewhere: name region_allocator as its allocator");
        if constexpr (bind::takes_allocator<U, region_allocator<U>>) {
            bind::construct_element(p, region_allocator<U>(*this), std::forward<Args>(args)...);
        } else {
            std::construct_at(p, std::forward<Args>(args)...);
        }
    }

    [[nodiscard]] region_heap& mechanism() const noexcept { return *heap_; }

private:
    offset_ptr<region_heap> heap_;
};

/// Two allocators are equal if they take from the same heap.
template <class T, class U>
[[nodiscard]] bool operator==(const region_allocator<T>& a, const region_allocator<U>& b) noexcept {
    return std::addressof(a.mechanism()) == std::addressof(b.mechanism());
}

}} // namespace mallard::MALLARD_MODE

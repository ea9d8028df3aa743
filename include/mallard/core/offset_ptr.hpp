/// A pointer that stores the distance from itself to its object, so that both may lie in memory that is mapped at another
/// address in another process or run.
///
///     memory:  [ ... | offset_ptr: +40 | ... 40 bytes on ... | object | ... ]
///
/// Data model: one signed word. Null is the distance 1, because 0 is that of a pointer to itself, as in the empty
/// circle of a list, and no object begins in the second byte of a pointer to it.
///
/// Invariants: a copy has another distance, so that an offset_ptr is copied by its members only, never byte by byte. It
/// meets the requirements of std::pointer_traits, and is a contiguous iterator unless T is void.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1 (shared memory).
#pragma once

#include <mallard/core/build_mode.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

namespace mallard { inline namespace MALLARD_LIBRARY {

template <class T>
class offset_ptr {
    template <class U>
    static constexpr bool converts_from = std::is_convertible_v<U*, T*>;

public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = offset_ptr;
    using reference = std::add_lvalue_reference_t<T>;
    using iterator_category = std::random_access_iterator_tag;
    using iterator_concept = std::contiguous_iterator_tag;

    /// Effects: makes a null pointer.
    constexpr offset_ptr() noexcept = default;
    /// A null pointer constant converts too: this is the only constructor that takes one.
    offset_ptr(T* p) noexcept : distance_(distance_to(p)) {}
    offset_ptr(const offset_ptr& other) noexcept : offset_ptr(other.get()) {}
    ~offset_ptr() = default;

    template <class U>
        requires converts_from<U>
    offset_ptr(const offset_ptr<U>& other) noexcept : offset_ptr(static_cast<T*>(other.get())) {}

    /// Effects: casts, for example from a base or from void.
    template <class U>
        requires(!converts_from<U> && requires(U* p) { static_cast<T*>(p); })
    explicit offset_ptr(const offset_ptr<U>& other) noexcept : offset_ptr(static_cast<T*>(other.get())) {}

    offset_ptr& operator=(const offset_ptr& other) noexcept { // NOLINT(bugprone-unhandled-self-assignment)
        distance_ = distance_to(other.get());
        return *this;
    }

    /// Returns: a pointer to `object`, as std::pointer_traits asks for it.
    template <class U = T>
        requires(!std::is_void_v<U>)
    [[nodiscard]] static offset_ptr pointer_to(U& object) noexcept {
        return offset_ptr(std::addressof(object));
    }

    /// Returns: the address in this process.
    [[nodiscard]] T* get() const noexcept {
        return distance_ == null_distance
                   ? nullptr
                   : reinterpret_cast<T*>(own_address() + static_cast<std::uintptr_t>(distance_));
    }

    [[nodiscard]] reference operator*() const noexcept
        requires(!std::is_void_v<T>)
    {
        return *get();
    }
    [[nodiscard]] T* operator->() const noexcept { return get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return distance_ != null_distance; }

    template <class U = T>
        requires(!std::is_void_v<U>)
    [[nodiscard]] U& operator[](difference_type n) const noexcept {
        return get()[n];
    }

    offset_ptr& operator+=(difference_type n) noexcept { return *this = get() + n; }
    offset_ptr& operator-=(difference_type n) noexcept { return *this = get() - n; }
    offset_ptr& operator++() noexcept { return *this += 1; }
    offset_ptr& operator--() noexcept { return *this -= 1; }
    offset_ptr operator++(int) noexcept {
        const offset_ptr old = *this;
        ++*this;
        return old;
    }
    offset_ptr operator--(int) noexcept {
        const offset_ptr old = *this;
        --*this;
        return old;
    }

    [[nodiscard]] friend offset_ptr operator+(const offset_ptr& p, difference_type n) noexcept {
        return p.get() + n;
    }
    [[nodiscard]] friend offset_ptr operator+(difference_type n, const offset_ptr& p) noexcept {
        return p.get() + n;
    }
    [[nodiscard]] friend offset_ptr operator-(const offset_ptr& p, difference_type n) noexcept {
        return p.get() - n;
    }
    [[nodiscard]] friend difference_type operator-(const offset_ptr& a, const offset_ptr& b) noexcept {
        return a.get() - b.get();
    }
    [[nodiscard]] friend bool operator==(const offset_ptr& p, std::nullptr_t) noexcept { return !p; }

private:
    static constexpr std::ptrdiff_t null_distance = 1;

    [[nodiscard]] std::uintptr_t own_address() const noexcept {
        return reinterpret_cast<std::uintptr_t>(this);
    }
    [[nodiscard]] std::ptrdiff_t distance_to(T* p) const noexcept {
        return p == nullptr
                   ? null_distance
                   : static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(p) - own_address());
    }

    std::ptrdiff_t distance_ = null_distance;
};

template <class T, class U>
[[nodiscard]] bool operator==(const offset_ptr<T>& a, const offset_ptr<U>& b) noexcept {
    return a.get() == b.get();
}
template <class T, class U>
[[nodiscard]] std::strong_ordering operator<=>(const offset_ptr<T>& a, const offset_ptr<U>& b) noexcept {
    return std::compare_three_way{}(a.get(), b.get());
}

}} // namespace mallard::MALLARD_LIBRARY

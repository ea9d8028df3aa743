/// The functions of `<algorithm>` and `<memory>` that most headers need: to include the two would take half of the time to
/// compile an allocator.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

// NOLINTBEGIN(bugprone-return-const-ref-from-parameter): as std::min() and std::max() do

/// Compiled as std::min() is.
template <class T>
[[nodiscard]] constexpr const T& min(const T& a, const T& b) noexcept {
    if (b < a) {
        return b;
    }
    return a;
}

/// Compiled as std::max() is.
template <class T>
[[nodiscard]] constexpr const T& max(const T& a, const T& b) noexcept {
    if (a < b) {
        return b;
    }
    return a;
}

// NOLINTEND(bugprone-return-const-ref-from-parameter)

/// Requires: `low` is at most `high`.
template <class T>
[[nodiscard]] constexpr const T& clamp(const T& value, const T& low, const T& high) noexcept {
    return min(max(value, low), high);
}

/// Returns: the address, whatever the type's operator& does.
template <class T>
[[nodiscard, gnu::always_inline]] constexpr T* address_of(T& object) noexcept {
    return __builtin_addressof(object);
}

}} // namespace mallard::core::MALLARD_LIBRARY

/// Powers of two, and rounding to them.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace mallard { inline namespace MALLARD_LIBRARY {

/// Every allocator serves this alignment, and any smaller one, on its fast path.
inline constexpr std::size_t fundamental_alignment = alignof(std::max_align_t);

/// The unit in which common processors load and share memory.
inline constexpr std::size_t cache_line_bytes = 64;

[[nodiscard]] constexpr bool is_power_of_two(std::size_t n) noexcept {
    return n != 0 && (n & (n - 1)) == 0;
}

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Returns: the smallest multiple of `alignment` that is not below `n`; 0 if that would wrap.
/// Requires: `alignment` is a power of two.
[[nodiscard]] constexpr std::size_t align_up(std::size_t n, std::size_t alignment) noexcept {
    return (n + (alignment - 1)) & ~(alignment - 1);
}

/// Returns: the number of bits that `n` takes; 0 for 0. The return type of std::bit_width differs between
/// standard libraries.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::size_t bit_width(T n) noexcept {
    return static_cast<std::size_t>(std::numeric_limits<T>::digits - std::countl_zero(n));
}

[[nodiscard]] constexpr std::size_t align_down(std::size_t n, std::size_t alignment) noexcept {
    return n & ~(alignment - 1);
}

/// Returns: the distance in bytes from `p` to the next multiple of `alignment`.
[[nodiscard]] inline std::size_t padding_to(const void* p, std::size_t alignment) noexcept {
    return -reinterpret_cast<std::uintptr_t>(p) & (alignment - 1);
}

[[nodiscard]] inline bool is_aligned(const void* p, std::size_t alignment) noexcept {
    return padding_to(p, alignment) == 0;
}

/// Returns: true if the address `p` lies in `memory`.
[[nodiscard]] inline bool lies_in(std::span<const std::byte> memory, const void* p) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
    return reinterpret_cast<std::uintptr_t>(p) - begin < memory.size();
}

}} // namespace mallard::core::MALLARD_LIBRARY

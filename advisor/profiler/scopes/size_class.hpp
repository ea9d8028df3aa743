/// Classes of sizes, for entropy and percentiles: 8 bytes apart up to 128, then eight in each doubling.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace mallard::advisor {

inline constexpr unsigned size_classes = 472;

constexpr unsigned to_size_class(std::uint64_t bytes) noexcept {
    if (bytes <= 128) {
        return bytes == 0 ? 0 : static_cast<unsigned>((bytes - 1) / 8);
    }
    const std::uint64_t last = bytes - 1;
    const auto doubling = static_cast<unsigned>(std::bit_width(last)) - 1;
    return 16 + (doubling - 7) * 8 + static_cast<unsigned>(last >> (doubling - 3) & 7);
}

/// Returns: the largest size of the class.
constexpr std::uint64_t largest_size(unsigned size_class) noexcept {
    if (size_class < 16) {
        return (std::uint64_t{size_class} + 1) * 8;
    }
    if (size_class + 1 >= size_classes) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    const unsigned doubling = (size_class - 16) / 8 + 7;
    return std::uint64_t{8 + (size_class - 16) % 8 + 1} << (doubling - 3);
}

} // namespace mallard::advisor

/// Ticks of the processor's time stamp counter as times.
#pragma once

#include <cstdint>
#include <limits>

namespace mallard::advisor {

/// Returns: how many units of `ticks_per_unit` the ticks are; the largest number if they are more, or the unit makes no
/// sense.
inline std::uint64_t units_of(std::uint64_t ticks, double ticks_per_unit) noexcept {
    constexpr double too_many = 18446744073709551616.0;
    const double units = static_cast<double>(ticks) / ticks_per_unit;
    return units >= 0 && units < too_many ? static_cast<std::uint64_t>(units)
                                          : std::numeric_limits<std::uint64_t>::max();
}

} // namespace mallard::advisor

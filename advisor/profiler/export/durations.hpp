/// Ticks of the processor's time stamp counter as times.
#pragma once

#include <cstdint>
#include <limits>

namespace mallard::advisor {

/// Returns: the ticks in units of `ticks_per_unit`; the largest number if the result is out of range, or the unit is
/// not a positive number.
inline std::uint64_t to_units(std::uint64_t ticks, double ticks_per_unit) noexcept {
    constexpr double limit = 18446744073709551616.0;
    const double units = static_cast<double>(ticks) / ticks_per_unit;
    return units >= 0 && units < limit ? static_cast<std::uint64_t>(units)
                                       : std::numeric_limits<std::uint64_t>::max();
}

} // namespace mallard::advisor

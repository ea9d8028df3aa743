/// The ticks that a time stamp adds to the interval that it ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace mallard::recorder {

/// Calls `stamp` back to back. The counter of some processors advances only every ten nanoseconds, so that the difference of two
/// stamps is a step or nothing: only the mean has a meaning.
/// Returns: the mean difference between consecutive stamps, as the median of some series. The thread may lose its processor in a
/// few of them.
template <typename Stamp>
double mean_stamp_ticks(Stamp stamp) noexcept {
    constexpr std::size_t series = 15;
    constexpr unsigned length = 64;
    std::array<std::uint64_t, series> ticks{};
    for (std::uint64_t& of_series : ticks) {
        const std::uint64_t first = stamp();
        std::uint64_t last = first;
        for (unsigned count = 0; count < length; ++count) {
            last = stamp();
        }
        of_series = last - first;
    }
    std::nth_element(ticks.begin(), ticks.begin() + series / 2, ticks.end());
    return static_cast<double>(ticks[series / 2]) / length;
}

} // namespace mallard::recorder

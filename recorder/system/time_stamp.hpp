/// The recorder's clocks.
#pragma once

#include <x86intrin.h>

#include <cstdint>
#include <ctime>

namespace mallard::recorder {

/// Returns: ticks of the processor's counter, which is the same on all cores, and goes on in sleep.
inline std::uint64_t time_stamp() noexcept {
    return __rdtsc();
}

/// Returns: CLOCK_MONOTONIC, from which the length of a tick follows.
inline std::uint64_t nanoseconds() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace mallard::recorder

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

/// Returns: CLOCK_MONOTONIC, from which the length of a tick follows; with CLOCK_PROCESS_CPUTIME_ID the time that processors
/// worked for the process, which is a system call.
inline std::uint64_t nanoseconds(clockid_t clock = CLOCK_MONOTONIC) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace mallard::recorder

/// The recorder's clocks.
#pragma once

#include "recorder/arch/arch.hpp"

#include <sys/syscall.h>

#include <cstdint>
#include <ctime>

namespace mallard::recorder {

using arch::ordered_time_stamp;
using arch::time_stamp;

/// Returns: CLOCK_MONOTONIC, which calibrates the ticks; with CLOCK_PROCESS_CPUTIME_ID the CPU time of the process. Takes a
/// system call.
inline std::uint64_t nanoseconds(clockid_t clock = CLOCK_MONOTONIC) noexcept {
    timespec time{};
    // Not clock_gettime, which a preloaded library may replace by a clock that jumps.
    arch::call_kernel(SYS_clock_gettime, clock, reinterpret_cast<long>(&time), 0, 0, 0, 0);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

} // namespace mallard::recorder

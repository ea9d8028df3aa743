/// What the system knows of a recorded process, and what its part says.
#pragma once

#include "trace/event.hpp"
#include "trace/part.hpp"

#include <cstdint>

namespace mallard::collect {

/// Returns: the executable and the command of a running process; empty where the system does not say.
trace::process running_process(std::uint32_t number);

/// Effects: adds what the header of a part says.
void add_header(trace::process& about, const trace::part_header& header);

/// Returns: the CPU time of the process since the part began, in nanoseconds; 0 if it is not known.
std::uint64_t cpu_time(const trace::part_header& header, std::uint64_t until) noexcept;

/// A reading of both clocks, as near to each other as the system allows.
struct clock_pair {
    std::uint64_t ticks;
    std::uint64_t nanoseconds;
    static clock_pair now() noexcept;
};

/// Returns: the frequency of the time stamp counter, from the part's readings if they are far enough apart, else from
/// `begin` and now.
/// Effects: waits some milliseconds if `begin` was just now.
double ticks_per_second(const trace::part_header& header, clock_pair begin) noexcept;

} // namespace mallard::collect

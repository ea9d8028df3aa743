/// Facts of a recorded process, from the system and from its part.
#pragma once

#include "trace/event.hpp"
#include "trace/part.hpp"

#include <cstdint>

namespace mallard::collect {

/// Returns: the executable and the command of a running process; empty if the system does not provide them.
trace::process running_process(std::uint32_t number);

/// Effects: adds the facts of a part's header.
void add_header(trace::process& facts, const trace::part_header& header);

/// Returns: the CPU time of the process since the part began, in nanoseconds; 0 if unknown.
std::uint64_t cpu_time(const trace::part_header& header, std::uint64_t until) noexcept;

/// A reading of both clocks, as close together as possible.
struct clock_pair {
    std::uint64_t ticks;
    std::uint64_t nanoseconds;
    static clock_pair read() noexcept;
};

/// Returns: the frequency of the time stamp counter, from the part's readings if they are far enough apart, else from
/// `begin` and the current time.
/// Effects: waits some milliseconds if `begin` is very recent.
double ticks_per_second(const trace::part_header& header, clock_pair begin) noexcept;

} // namespace mallard::collect

/// Threads that begin together, and their times.
#pragma once

#include "runner/harness/stopwatch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace bench {

/// Two cache lines: processors fetch lines in pairs.
inline constexpr std::size_t apart_bytes = 128;

struct team_result {
    cost timed; ///< wall time until the last thread ends; the other costs are sums over the threads
    std::int64_t slowest_ns = 0; ///< the longest time of a thread from its beginning to its end
    std::int64_t fastest_ns = 0;
};

/// One thread's part, called once with the thread's number.
using team_part = std::function<void(std::size_t)>;

/// Effects: starts `count` threads. Each calls prepare(i); when all are ready, the barrier opens and each calls
/// work(i). First uses, such as the creation of a thread's arena, belong in `prepare`.
/// Throws: std::bad_alloc if a thread threw it, after all threads have ended.
team_result run_team(std::size_t count, const team_part& prepare, const team_part& work);

} // namespace bench

/// Threads that begin together, and when each of them was done.
#pragma once

#include "bench/harness/stopwatch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace bench {

/// Far enough apart that two threads do not share a cache line, nor the pair that is fetched together.
inline constexpr std::size_t apart_bytes = 128;

struct team_result {
    cost timed; ///< wall time from the opening to the end of the last thread; of the rest, all
    std::int64_t slowest_ns = 0; ///< from its own beginning to its own end
    std::int64_t fastest_ns = 0;
};

/// What each thread does, told its number. It is called once, so that the call costs nothing that is measured.
using team_part = std::function<void(std::size_t)>;

/// Effects: makes `count` threads, lets each call prepare(i), and when all of them have, opens the barrier;
/// then each calls work(i). Whatever a thread needs at first, its allocator's arena for one, belongs into
/// `prepare`.
/// Throws: std::bad_alloc where one of the threads did, after all have ended.
team_result run_team(std::size_t count, const team_part& prepare, const team_part& work);

} // namespace bench

/// Threads that begin together, and when each of them was done.
#pragma once

#include "bench/harness/stopwatch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

namespace bench {

/// Far enough apart that two threads do not share a cache line, nor the pair that is fetched together.
inline constexpr std::size_t apart_bytes = 128;

struct team_result {
    cost timed; ///< wall time from the opening to the end of the last thread; of the rest, all
    std::int64_t slowest_ns = 0; ///< from its own beginning to its own end
    std::int64_t fastest_ns = 0;
};

/// Effects: makes `count` threads, lets each call prepare(i), and when all of them have, opens the barrier;
/// then each calls work(i). Whatever a thread needs at first, its allocator's arena for one, belongs into
/// `prepare`.
/// Throws: std::bad_alloc where one of the threads did, after all have ended.
template <class Prepare, class Work>
team_result run_team(std::size_t count, Prepare prepare, Work work) {
    using clock = std::chrono::steady_clock;
    struct alignas(apart_bytes) member {
        clock::time_point begin;
        clock::time_point end;
    };
    std::vector<member> members(count);
    std::atomic<std::size_t> ready = 0;
    std::atomic<bool> open = false;
    std::atomic<bool> failed = false;

    const auto live = [&](std::size_t i) {
        const auto guarded = [&](auto& part) {
            try {
                part(i);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        };
        guarded(prepare);
        ready.fetch_add(1);
        // Not asleep: to be woken takes as long as thousands of allocations.
        while (!open.load()) {
            std::this_thread::yield();
        }
        members[i].begin = clock::now();
        guarded(work);
        members[i].end = clock::now();
    };
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::size_t i = 0; i != count; ++i) {
        threads.emplace_back(live, i);
    }
    while (ready.load() != count) {
        std::this_thread::yield();
    }
    const stopwatch watch;
    const auto opened = clock::now();
    open = true;
    threads.clear();

    team_result result{.timed = watch.elapsed()};
    if (failed) {
        throw std::bad_alloc();
    }
    const auto nanoseconds = [](auto from, auto to) {
        return std::int64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count()};
    };
    const auto last = std::ranges::max_element(members, {}, &member::end);
    result.timed.wall_ns = nanoseconds(opened, last->end);
    result.fastest_ns = INT64_MAX;
    for (const member& m : members) {
        result.slowest_ns = std::max(result.slowest_ns, nanoseconds(m.begin, m.end));
        result.fastest_ns = std::min(result.fastest_ns, nanoseconds(m.begin, m.end));
    }
    return result;
}

} // namespace bench

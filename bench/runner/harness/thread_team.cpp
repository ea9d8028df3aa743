#include "runner/harness/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace bench {

team_result run_team(std::size_t count, const team_part& prepare, const team_part& work) {
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
        const auto guarded = [&](const team_part& part) {
            try {
                part(i);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        };
        guarded(prepare);
        ready.fetch_add(1);
        // Threads do not sleep: waking one takes as long as thousands of allocations.
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

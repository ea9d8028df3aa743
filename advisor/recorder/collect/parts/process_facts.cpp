#include "recorder/collect/parts/process_facts.hpp"

#include "recorder/collect/system_file.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>

namespace mallard::collect {

namespace {

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t long_span = second / 4;
constexpr std::uint64_t shortest_span = second / 100;

std::uint64_t monotonic_time() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * second + static_cast<std::uint64_t>(time.tv_nsec);
}

double frequency(clock_pair begin, clock_pair end) noexcept {
    const auto seconds =
        static_cast<double>(end.nanoseconds - begin.nanoseconds) / static_cast<double>(second);
    return static_cast<double>(end.ticks - begin.ticks) / seconds;
}

} // namespace

trace::process running_process(std::uint32_t number) {
    trace::process process;
    process.number = number;
    const std::filesystem::path folder = "/proc/" + std::to_string(number);
    std::error_code error;
    process.executable = std::filesystem::read_symlink(folder / "exe", error).string();
    const std::string words = text_of_system_file(folder / "cmdline");
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find('\0', begin), words.size());
        process.command.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return process;
}

std::uint64_t cpu_time(const trace::part_header& header, std::uint64_t until) noexcept {
    return until > header.first_cpu_time ? until - header.first_cpu_time : 0;
}

void add_header(trace::process& facts, const trace::part_header& header) {
    if (facts.executable.empty()) {
        facts.executable = std::string(header.executable.begin(), std::ranges::find(header.executable, '\0'));
    }
    facts.number = header.process;
    facts.parent = header.parent;
    facts.stacks = header.stacks;
    facts.sampled_one_in = header.sampled_one_in;
    facts.timed_one_in = header.timed_one_in;
    facts.first_ticks = header.first_time;
    facts.last_ticks = std::max(facts.last_ticks, header.last_time.load());
    facts.cpu_nanoseconds = std::max(facts.cpu_nanoseconds, cpu_time(header, header.last_cpu_time));
    facts.stopped = header.stopped;
    facts.nested_events = header.nested_events;
    facts.forks_not_followed = header.forks_not_followed;
    facts.programs_not_followed = header.programs_not_followed;
    facts.blocks_without_end = header.blocks_without_end;
    facts.names_lost = header.names_lost;
}

// A thread may be preempted between the two readings. The shortest attempt is the most exact.
clock_pair clock_pair::read() noexcept {
    clock_pair best{};
    std::uint64_t shortest = UINT64_MAX;
    for (int tries = 0; tries < 5; ++tries) {
        const std::uint64_t start = __rdtsc();
        const std::uint64_t time = monotonic_time();
        const std::uint64_t end = __rdtsc();
        if (end - start < shortest) {
            shortest = end - start;
            best = {start + shortest / 2, time};
        }
    }
    return best;
}

double ticks_per_second(const trace::part_header& header, clock_pair begin) noexcept {
    const clock_pair first{header.first_time, header.first_nanoseconds};
    const clock_pair last{header.last_time, header.last_nanoseconds};
    if (last.ticks > first.ticks && last.nanoseconds > first.nanoseconds &&
        last.nanoseconds - first.nanoseconds >= long_span) {
        return frequency(first, last);
    }
    clock_pair end = clock_pair::read();
    while (end.nanoseconds - begin.nanoseconds < shortest_span) {
        const timespec pause{0, static_cast<long>(shortest_span)};
        ::nanosleep(&pause, nullptr);
        end = clock_pair::read();
    }
    return frequency(begin, end);
}

} // namespace mallard::collect

#include "profiler/program/process_choice.hpp"

#include "profiler/program/arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

namespace mallard::advisor {

namespace {

using trace::process;

/// Below it, times of processes differ by their starts.
constexpr std::uint64_t least_difference_ns = 10'000'000;

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// A process that executes another program keeps its number, so several processes may match.
bool matches(const process& candidate, const std::string& wanted) {
    return std::to_string(candidate.number) == wanted || file_name(candidate.executable) == wanted ||
           (!candidate.command.empty() && file_name(candidate.command.front()) == wanted);
}

/// Effects: reads the events of the process, up to a damage, which its own profile reports.
std::uint64_t count_requests(trace::reader& reader, std::size_t index) {
    std::uint64_t requests = 0;
    try {
        reader.begin(index);
        for (auto events = reader.next(); !events.empty(); events = reader.next()) {
            requests += static_cast<std::uint64_t>(std::ranges::count_if(
                events, [](const trace::event& event) { return allocates(event.kind); }));
        }
    } catch (const trace::trace_error&) {
        return requests;
    }
    return requests;
}

std::string listed(trace::reader& reader) {
    constexpr std::size_t most_listed = 20;
    const std::vector<process>& processes = reader.processes();
    std::vector<std::pair<std::uint64_t, std::size_t>> rows; // the requests, and the process
    rows.reserve(processes.size());
    for (std::size_t index = 0; index < processes.size(); ++index) {
        rows.emplace_back(count_requests(reader, index), index);
    }
    std::ranges::sort(rows, [](const auto& left, const auto& right) {
        return left.first != right.first ? left.first > right.first : left.second < right.second;
    });
    std::string text;
    for (std::size_t place = 0; place < std::min(rows.size(), most_listed); ++place) {
        const auto [requests, index] = rows[place];
        text += (place == 0 ? "" : ", ") + std::to_string(processes[index].number) + ' ' +
                file_name(processes[index].executable) + " (" + std::to_string(requests) + " requests)";
    }
    return text + (rows.size() > most_listed ? ", and others" : "");
}

} // namespace

std::vector<std::size_t> busiest_processes(std::span<const process> processes) {
    std::vector<std::size_t> candidates;
    for (std::size_t index = 0; index < processes.size(); ++index) {
        if (processes[index].events != 0) {
            candidates.push_back(index);
        }
    }
    std::uint64_t most = 0;
    for (const std::size_t index : candidates) {
        most = std::max(most, processes[index].cpu_nanoseconds);
    }
    const std::uint64_t tolerance = std::max(most / 10, least_difference_ns);
    std::erase_if(candidates, [&](std::size_t index) {
        return processes[index].cpu_nanoseconds < most - std::min(most, tolerance);
    });
    return candidates;
}

std::size_t choose_process(trace::reader& reader, const std::optional<std::string>& wanted) {
    const std::vector<process>& processes = reader.processes();
    std::vector<std::size_t> candidates;
    if (wanted) {
        for (std::size_t index = 0; index < processes.size(); ++index) {
            if (matches(processes[index], *wanted)) {
                candidates.push_back(index);
            }
        }
        if (candidates.empty()) {
            throw usage_error("The trace has no process '" + *wanted + "'. It has " + listed(reader) + '.');
        }
    } else {
        candidates = busiest_processes(processes);
        if (candidates.empty()) {
            return 0;
        }
    }
    std::uint64_t most_events = 0;
    for (const std::size_t index : candidates) {
        most_events = std::max(most_events, processes[index].events);
    }
    // A process frees about as many blocks as it allocates, or fewer, so its requests are at least half of its events.
    std::erase_if(candidates, [&](std::size_t index) { return processes[index].events < most_events / 2; });
    if (candidates.size() == 1) {
        return candidates.front();
    }
    std::size_t best = candidates.front();
    std::uint64_t most_requests = 0;
    for (const std::size_t index : candidates) {
        const std::uint64_t requests = count_requests(reader, index);
        if (requests > most_requests) {
            most_requests = requests;
            best = index;
        }
    }
    return best;
}

} // namespace mallard::advisor

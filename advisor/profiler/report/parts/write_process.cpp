#include "profiler/report/name_tables.hpp"
#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace mallard::advisor {

namespace {

constexpr double least_share = 0.95;

std::string percent(double share) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f %%", share * 100);
    return text.data();
}

std::string_view stacks_name(trace::stack_source source) noexcept {
    switch (source) {
    case trace::stack_source::frame_pointers:
        return "frame pointers";
    case trace::stack_source::descriptions:
        return "descriptions";
    default:
        return "none";
    }
}

void write_program(json_writer& json, const trace::process& process) {
    constexpr std::size_t most_arguments = 100;
    json.field("number", process.number);
    json.optional_field("executable", !process.executable.empty(), [&] { return process.executable; });
    json.key("command").begin_list();
    for (std::size_t at = 0; at < std::min(process.command.size(), most_arguments); ++at) {
        json.value(name_tables::shortened(process.command[at]));
    }
    json.end_list();
}

void write_identity(json_writer& json, const trace::process& process) {
    json.begin_object().field("parent", process.parent);
    write_program(json, process);
    json.field("seconds", process.seconds()).field("threads", process.threads);
}

void write_cpu_seconds(json_writer& json, const trace::process& process) {
    json.optional_field("cpu_seconds", process.cpu_nanoseconds != 0,
                        [&] { return static_cast<double>(process.cpu_nanoseconds) * 1e-9; });
}

/// Returns: the process before it executed this program, else its parent, as it was then; null if that was not recorded.
const trace::process* find_launcher(const report_request& request) {
    const trace::process& chosen = request.processes[request.chosen];
    const trace::process* launcher = nullptr;
    for (const trace::process& candidate : request.processes) {
        const bool is_predecessor = candidate.number == chosen.number;
        if (candidate.first_ticks >= chosen.first_ticks ||
            (!is_predecessor && candidate.number != chosen.parent)) {
            continue;
        }
        const bool preferred = launcher == nullptr || (launcher->number == chosen.number) < is_predecessor ||
                               ((launcher->number == chosen.number) == is_predecessor &&
                                launcher->first_ticks < candidate.first_ticks);
        launcher = preferred ? &candidate : launcher;
    }
    return launcher;
}

void write_place_among_processes(json_writer& json, const report_request& request) {
    const trace::process& chosen = request.processes[request.chosen];
    const auto name = std::filesystem::path(chosen.executable).filename();
    std::uint64_t instances = 0;
    std::uint64_t instance = 1;
    for (const trace::process& candidate : request.processes) {
        if (candidate.events != 0 && std::filesystem::path(candidate.executable).filename() == name) {
            ++instances;
            instance += candidate.first_ticks < chosen.first_ticks ? 1 : 0;
        }
    }
    json.field("instance", instance).field("instances", instances).key("launcher");
    if (const trace::process* const launcher = find_launcher(request)) {
        json.begin_object();
        write_program(json, *launcher);
        json.end_object();
    } else {
        json.value(json_writer::null{});
    }
}

} // namespace

completeness measure_completeness(const analysis& results, const trace::process& process) {
    completeness summary;
    const analysis::counts& counted = results.counted();
    std::size_t worst = 0;
    std::uint64_t most = 0;
    for (std::size_t end = 0; end < trace::stack_ends; ++end) {
        if (trace::is_complete(static_cast<trace::stack_end>(end))) {
            summary.complete += counted.by_end[end];
        } else if (counted.by_end[end] > most) {
            most = counted.by_end[end];
            worst = end;
        }
    }
    if (process.stacks == trace::stack_source::none) {
        summary.reason = "Scopes are withheld: the program was recorded without stacks.";
    } else if (counted.events != 0) {
        const double share = static_cast<double>(summary.complete) / static_cast<double>(counted.events);
        if (share < least_share) {
            summary.reason = "Scopes are withheld: only " + percent(share) +
                             " of the stacks are complete, and 95 % are needed. " +
                             percent(static_cast<double>(most) / static_cast<double>(counted.events)) +
                             " end in " +
                             (worst == 3   ? "code without a description"
                              : worst == 4 ? "memory that cannot be read"
                                           : "too many levels") +
                             ".";
        }
    }
    return summary;
}

void write_trace_and_processes(json_writer& json, const report_request& request) {
    constexpr std::size_t most_processes = 200;
    json.key("trace").begin_object().field("file", request.file).field("bytes", request.file_bytes);
    json.field("torn_bytes", request.torn_bytes).end_object();
    json.key("processes").begin_list();
    for (std::size_t at = 0; at < request.processes.size(); ++at) {
        if (at >= most_processes && at != request.chosen) {
            continue;
        }
        write_identity(json, request.processes[at]);
        write_cpu_seconds(json, request.processes[at]);
        json.field("programs_not_followed", request.processes[at].programs_not_followed);
        json.field("events", request.processes[at].events).field("chosen", at == request.chosen).end_object();
    }
    json.end_list();
}

void write_process(json_writer& json, const analysis& results, const report_request& request) {
    const trace::process& process = request.processes[request.chosen];
    json.key("process");
    write_identity(json, process);
    json.optional_field("build_id", !request.build_id.empty(), [&] { return request.build_id; });
    write_place_among_processes(json, request);
    write_cpu_seconds(json, process);
    json.field("ticks_per_second", process.ticks_per_second).field("events", results.counted().events);
    json.field("stacks", stacks_name(process.stacks)).field("sampled_one_in", process.sampled_one_in);
    json.field("timed_one_in", process.timed_one_in).field("timed_events", results.counted().timed_events);
    json.field("interrupted_events", results.counted().interrupted_events);
    json.optional_field("stopped", process.stopped != trace::stop_reason::none,
                        [&] { return name(process.stopped); });
    json.optional_field("exit_status", process.exit_status != -1, [&] { return process.exit_status; });
    json.field("torn", process.torn).field("nested_events", process.nested_events);
    json.field("forks_not_followed", process.forks_not_followed);
    json.field("programs_not_followed", process.programs_not_followed);
    json.field("blocks_without_end", process.blocks_without_end).end_object();
}

void write_completeness(json_writer& json, const analysis& results, const completeness& summary) {
    const analysis::counts& counted = results.counted();
    json.key("completeness")
        .begin_object()
        .field("events", counted.events)
        .field("complete", summary.complete);
    json.optional_field("share", counted.events != 0, [&] {
        return static_cast<double>(summary.complete) / static_cast<double>(counted.events);
    });
    json.key("by_end").begin_object();
    for (std::size_t end = 0; end < trace::stack_ends; ++end) {
        json.field(name(static_cast<trace::stack_end>(end)), counted.by_end[end]);
    }
    json.end_object().field("scopes", summary.reason.empty() ? "shown" : "withheld");
    json.optional_field("reason", !summary.reason.empty(), [&] { return summary.reason; });
    json.end_object();
}

} // namespace mallard::advisor

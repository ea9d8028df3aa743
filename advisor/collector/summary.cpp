#include "collector/summary.hpp"

#include "collector/facts.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mallard::collector {

namespace {

/// The ends of incomplete stacks.
struct incomplete_stacks {
    trace::stack_end end = trace::stack_end::unknown_code; ///< the most frequent end
    std::uint64_t events = 0;                              ///< with this end
    std::string file;                                      ///< the file in which most of these end

    /// Returns: the most frequent end of all processes of the trace. Reads all its events.
    static incomplete_stacks most_frequent(trace::reader& from);
};

using trace::context_id;

/// Returns: for each context the outermost level of its stack; for a root, the root.
std::vector<context_id> outermost_levels(const trace::context_tree& contexts) {
    std::vector<context_id> outermost(contexts.size());
    for (context_id context = 0; context < contexts.size(); ++context) {
        outermost[context] = contexts[context].depth <= 1 ? context : outermost[contexts[context].parent];
    }
    return outermost;
}

std::string file_name(const trace::code_file& file, const trace::process& process) {
    if (!file.path.empty()) {
        return file.path;
    }
    return process.executable.empty() ? "the program itself" : process.executable;
}

std::string file_at(std::uint64_t address, const std::vector<trace::code_file>& files,
                    const trace::process& process) {
    const std::uint64_t place = address & ~trace::interrupted_level;
    for (const trace::code_file& file : files) {
        if (place >= file.begin && place < file.end) {
            return file_name(file, process);
        }
    }
    return "code that is in no file";
}

incomplete_stacks incomplete_stacks::most_frequent(trace::reader& from) {
    std::map<trace::stack_end, std::uint64_t> ends;
    std::map<std::pair<trace::stack_end, std::string>, std::uint64_t> files;
    for (std::size_t process = 0; process < from.processes().size(); ++process) {
        const trace::context_tree& contexts = from.contexts(process);
        const std::vector<context_id> outermost = outermost_levels(contexts);
        std::vector<std::uint64_t> events(contexts.size());
        from.begin(process);
        for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
            for (const trace::event& event : batch) {
                if (trace::has_stack(event.kind)) {
                    ++events[outermost[event.context]];
                }
            }
        }
        for (context_id context = 0; context < contexts.size(); ++context) {
            if (events[context] == 0) {
                continue;
            }
            const trace::stack_end end = contexts.root_end(context); // `context` is an outermost level
            if (trace::is_complete(end)) {
                continue;
            }
            ends[end] += events[context];
            files[{end, file_at(contexts[context].address, from.code(process), from.processes()[process])}] +=
                events[context];
        }
    }
    incomplete_stacks result;
    for (const auto& [end, events] : ends) {
        if (events > result.events) {
            result = {end, events, {}};
        }
    }
    std::uint64_t most = 0;
    for (const auto& [key, events] : files) {
        if (key.first == result.end && events > most) {
            most = events;
            result.file = key.second;
        }
    }
    return result;
}

constexpr int no_trace = 2;
constexpr double least_complete = 0.95; // below this share scopes are withheld, and the reason is reported

/// The sums over all processes of a recording.
struct totals {
    std::uint64_t events = 0;
    std::uint64_t complete = 0;
    std::uint64_t threads = 0;
    std::uint64_t forks = 0;
    std::uint64_t programs = 0;
    std::uint64_t nested = 0;
    std::uint64_t names_lost = 0;
    double seconds = 0; ///< of the process that ran longest
    bool has_stacks = false;
    trace::stop_reason stopped = trace::stop_reason::none;
};

totals sum(const std::vector<trace::process>& processes, const collection::result& summary) {
    totals total;
    total.forks = summary.forks_not_followed;
    total.programs = summary.programs_not_followed;
    for (const trace::process& process : processes) {
        total.events += process.events;
        for (std::size_t end = 0; end < trace::stack_ends; ++end) {
            if (trace::is_complete(static_cast<trace::stack_end>(end))) {
                total.complete += process.events_by_end.at(end);
            }
        }
        total.threads += process.threads;
        total.forks += process.forks_not_followed;
        total.programs += process.programs_not_followed;
        total.nested += process.nested_events;
        total.names_lost += process.names_lost;
        total.has_stacks = total.has_stacks || process.stacks != trace::stack_source::none;
        total.seconds = std::max(total.seconds, process.seconds());
        if (total.stopped == trace::stop_reason::none) {
            total.stopped = process.stopped;
        }
    }
    total.programs -= std::min(total.programs, summary.late_programs);
    return total;
}

/// Effects: writes the facts of the request and of the end.
void write_request(trace::json_writer& json, const arguments& args, const collection::result& summary,
                   int status) {
    std::error_code error;
    json.field("file", args.file.string());
    json.field("has_file", std::filesystem::exists(args.file, error));
    json.field("program", args.program.empty() ? "" : args.program.front());
    json.field("follow", args.follow);
    json.field("recover", args.recover);
    json.field("signal", args.signal == 0 ? "" : ::sigabbrev_np(args.signal));
    json.field("status", status);
    json.field("failed", summary.failed);
    json.field("ended_by", summary.ended_by);
    json.field("is_idle", summary.is_idle);
    json.field("is_disk_full", summary.is_disk_full);
}

/// Effects: writes the contents of the trace, and what it lacks.
void write_contents(trace::json_writer& json, const totals& total, const collection::result& summary) {
    json.field("events", total.events);
    json.field("complete", total.has_stacks ? std::optional(total.complete) : std::nullopt);
    json.field("threads", total.threads);
    json.field("seconds", total.seconds);
    json.field("stopped", name(total.stopped));
    json.field("forks", total.forks);
    json.field("programs", total.programs);
    json.field("nested", total.nested);
    json.field("names", total.names_lost);
    json.field("damaged", summary.damaged);
    json.field("unknown_threads", summary.events_of_unknown_threads);
    json.key("without_event").begin_list();
    for (const std::string& program : summary.programs_without_event) {
        json.value(program);
    }
    json.end_list();
}

/// Effects: writes where stacks end if too many are incomplete for scopes.
void write_incomplete(trace::json_writer& json, const totals& total, trace::reader& from) {
    json.key("incomplete");
    if (!total.has_stacks ||
        static_cast<double>(total.complete) >= least_complete * static_cast<double>(total.events)) {
        json.value(trace::json_writer::null{});
        return;
    }
    const incomplete_stacks incomplete = incomplete_stacks::most_frequent(from);
    json.begin_object();
    json.field("end", name(incomplete.end));
    json.field("events", incomplete.events).field("file", incomplete.file).end_object();
}

} // namespace

int conclude(const arguments& args, parts_folder& folder, const collection::result& summary, int status) {
    trace::json_writer json = begin_fact("summary");
    write_request(json, args, summary, status);
    json.field("processes", summary.processes);
    if (!summary.failed.empty()) {
        write_fact(json);
        return args.recover || args.process != 0 ? no_trace : status;
    }
    if (summary.processes == 0) {
        folder.remove();
        write_contents(json, sum({}, summary), summary);
        write_fact(json);
        return args.signal != 0 && summary.is_idle ? status : no_trace;
    }
    trace::reader from(folder.trace());
    const totals total = sum(from.processes(), summary);
    write_contents(json, total, summary);
    write_incomplete(json, total, from);
    json.field("bytes", from.file_bytes());
    folder.keep_trace();
    folder.remove();
    write_fact(json);
    return status;
}

} // namespace mallard::collector

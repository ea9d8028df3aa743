#include "collector/summary.hpp"

#include "collector/program/check.hpp"
#include "trace/printable.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mallard::collector {

namespace {

/// Returns: 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t place = text.size(); place > 3;) {
        place -= 3;
        text.insert(place, ",");
    }
    return text;
}

/// Returns: the number with `digits` decimals.
std::string decimal(double number, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, number);
    return text.data();
}

/// Returns: the share in percent, rounded down, so that only the total is 100 %.
std::string percent(std::uint64_t part, std::uint64_t total) {
    if (part == total) {
        return "100 %";
    }
    const auto hundredths =
        static_cast<std::uint64_t>(static_cast<double>(part) * 10'000 / static_cast<double>(total));
    return decimal(static_cast<double>(hundredths < 9'999 ? hundredths : 9'999) / 100, 2) + " %";
}

/// Returns: "12.3 MB".
std::string bytes_in_words(std::uint64_t bytes) {
    constexpr std::array<const char*, 4> units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " bytes";
    }
    auto number = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; number >= 1000 && unit + 1 < units.size(); ++unit) {
        number /= 1000;
    }
    return decimal(number, number < 100 ? 1 : 0) + " " + units.at(unit);
}

/// Returns: "1 fork", "2 forks".
std::string counted(std::uint64_t number, const std::string& noun) {
    return with_commas(number) + " " + noun + (number == 1 ? "" : noun.ends_with("s") ? "es" : "s");
}

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
constexpr double least_complete = 0.95; // below this share scopes are withheld

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
        if (process.ticks_per_second > 0 && process.last_ticks > process.first_ticks) {
            total.seconds =
                std::max(total.seconds, static_cast<double>(process.last_ticks - process.first_ticks) /
                                            process.ticks_per_second);
        }
        if (total.stopped == trace::stop_reason::none) {
            total.stopped = process.stopped;
        }
    }
    total.programs -= std::min(total.programs, summary.late_programs);
    return total;
}

std::string end_in_words(trace::stack_end end) {
    switch (end) {
    case trace::stack_end::unknown_code:
        return "in code without unwind information (.eh_frame)";
    case trace::stack_end::unreadable:
        return "where the stack or its description is damaged";
    default:
        return "because they are too deep";
    }
}

std::string stop_in_words(trace::stop_reason reason) {
    switch (reason) {
    case trace::stop_reason::disk_full:
        return "the disk is full; free some space, or record to another disk with -o";
    case trace::stop_reason::file_full:
        return "the collector could not keep up, and the part is full or the process is out of memory; "
               "record less "
               "with --sample N";
    case trace::stop_reason::no_memory:
        return "out of memory; raise the memory limit, or record less with --sample N";
    default:
        return "the collector stopped it";
    }
}

void report_completeness(const totals& total, trace::reader& from) {
    if (!total.has_stacks) {
        print_line("no stacks, because of --stacks none; scopes will be withheld");
        return;
    }
    print_line(percent(total.complete, total.events) + " of " + with_commas(total.events) +
               " stacks are complete");
    if (static_cast<double>(total.complete) >= least_complete * static_cast<double>(total.events)) {
        return;
    }
    const incomplete_stacks incomplete = incomplete_stacks::most_frequent(from);
    print_line("scopes will be withheld, which need 95 %: " + percent(incomplete.events, total.events) +
               " end " + end_in_words(incomplete.end) + ", most often in " + incomplete.file);
}

void report_no_events(const arguments& args, const totals& total) {
    print_line("no event: '" + args.program.front() +
               "' called neither malloc nor operator new in a way that can be recorded");
    if (total.programs != 0 && !args.follow) {
        print_line("it executed another program, which was not followed; --follow records it too");
    }
}

void report_amounts(const totals& total, std::size_t processes, std::uint64_t bytes) {
    std::string line = counted(total.events, "event") + " of " + counted(total.threads, "thread");
    if (processes > 1) {
        line += " in " + counted(processes, "process");
    }
    line += " in " + decimal(total.seconds, 2) + " s; " + bytes_in_words(bytes);
    if (total.events != 0) {
        line += ", " + decimal(static_cast<double>(bytes) / static_cast<double>(total.events), 2) +
                " bytes an event";
    }
    print_line(line);
}

void report_not_followed(const totals& total, const arguments& args) {
    std::string not_followed;
    if (total.forks != 0) {
        not_followed = counted(total.forks, "fork");
    }
    if (total.programs != 0) {
        not_followed += (not_followed.empty() ? "" : " and ") + counted(total.programs, "executed program");
    }
    if (not_followed.empty()) {
        return;
    }
    if (args.follow) {
        print_line(
            "could not be followed: " + not_followed +
            "; the reason may be a static program, another C library or a sanitizer (which then does not "
            "start), other rights (setuid), an environment without LD_PRELOAD, or a process that "
            "cannot write to " +
            args.file.string() + ".parts");
    } else {
        print_line("not followed: " + not_followed + (args.recover ? "" : "; --follow records them too"));
    }
}

/// Reports the processes whose events were not recorded, except for programs that allocate nothing.
void report_programs_without_event(const std::vector<std::string>& programs) {
    std::map<std::string, std::uint64_t> times;
    for (const std::string& program : programs) {
        ++times[program];
    }
    std::uint64_t count = 0;
    std::string reasons;
    for (const auto& [program, number] : times) {
        if (const std::string reason = reason_for_no_event(program); !reason.empty()) {
            count += number;
            reasons.append("; '").append(program).append("' ").append(reason);
        }
    }
    if (count != 0) {
        print_line("followed, but without an event: " + counted(count, "executed program") + reasons);
    }
}

/// Reports the processes and threads of which there is no event.
void report_unrecorded(const totals& total, const collection::result& summary, const arguments& args) {
    report_not_followed(total, args);
    report_programs_without_event(summary.programs_without_event);
    if (summary.events_of_unknown_threads != 0) {
        print_line(
            "lost: " + counted(summary.events_of_unknown_threads, "event") +
            " of threads that first allocated after the program had restricted its system calls (seccomp)");
    }
}

void report_missing(const totals& total, const collection::result& summary, const arguments& args) {
    if (!summary.ended_by.empty()) {
        print_line("the recording ended by " + summary.ended_by + "; the program goes on");
    } else if (total.stopped != trace::stop_reason::none) {
        print_line("the recording stopped before the program ended: " + stop_in_words(total.stopped));
    }
    report_unrecorded(total, summary, args);
    if (total.nested != 0) {
        print_line("lost: " + counted(total.nested, "event") +
                   " of signal handlers that interrupted the recorder, or whose stack has too little room");
    }
    if (total.names_lost != 0) {
        print_line("lost: " + counted(total.names_lost, "use") +
                   " of names, because the table of names is full");
    }
    if (summary.damaged != 0) {
        print_line("lost: the ends of " + counted(summary.damaged, "damaged chunk"));
    }
}

std::string ended_in_words(int status) {
    if (status <= 128) {
        return "ended with status " + std::to_string(status);
    }
    const char* const name = ::sigabbrev_np(status - 128);
    return "was killed by signal " + std::to_string(status - 128) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

/// Reports a failure that may be due to the recorder, which the program's own messages do not name.
void report_failure(int status) {
    if (status == 0) {
        return;
    }
    std::string line = "the program " + ended_in_words(status) + " with the recorder";
    switch (status - 128) {
    case SIGSYS:
        line +=
            "; if it does not fail without the recorder, its sandbox (seccomp) forbids a system call of the "
            "recorder: turn it off for the recording";
        break;
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT:
    case SIGKILL:
        line += "; if it does not fail without the recorder, a stack or a memory limit is too small for "
                "both: raise it, or record with --stacks none, which needs least";
        break;
    default:
        break;
    }
    print_line(line);
}

int report_nothing_recorded(const arguments& args, parts_folder& folder, const collection::result& summary,
                            int status) {
    folder.remove();
    std::error_code none;
    const std::string unchanged =
        std::filesystem::exists(args.file, none) ? "; '" + args.file.string() + "' is unchanged" : "";
    if (args.signal != 0 && summary.is_idle) {
        print_line("nothing was recorded: SIG" + std::string(::sigabbrev_np(args.signal)) +
                   " had not begun the recording" + unchanged);
        report_unrecorded(sum({}, summary), summary, args);
        report_failure(status);
        return status;
    }
    if (summary.is_disk_full) {
        print_line(
            "error: nothing was recorded: the disk is full; free some space, or record to another disk "
            "with -o" +
            unchanged);
        report_failure(status);
        return no_trace;
    }
    if (summary.ended_by == "--limit") {
        print_line("error: nothing was recorded: --limit is less than the beginning of a trace; give more, "
                   "such as --limit 1M" +
                   unchanged);
        report_failure(status);
        return no_trace;
    }
    if (!summary.ended_by.empty() || args.signal != 0) {
        const std::string end = summary.ended_by.empty() ? "it " + ended_in_words(status)
                                                         : "the recording ended by " + summary.ended_by;
        print_line("error: nothing was recorded: '" + args.program.front() +
                   (args.signal != 0 ? "' did not allocate until " : "' had not allocated when ") + end +
                   unchanged);
        report_unrecorded(sum({}, summary), summary, args);
        report_failure(status);
        return no_trace;
    }
    if (args.program.empty()) {
        print_line("error: nothing was recorded, because the recording had not started");
        return no_trace;
    }
    print_line("error: nothing was recorded: '" + args.program.front() + "' " + ended_in_words(status) +
               " before its first allocation, or did not load the recorder" + unchanged);
    report_unrecorded(sum({}, summary), summary, args);
    print_line("a program does not load the recorder if its parent clears LD_PRELOAD");
    report_failure(status);
    return no_trace;
}

} // namespace

void print_line(const std::string& line) {
    std::fprintf(stderr, "mallard: %s\n", trace::printable(line).c_str());
    std::fflush(stderr);
}

int conclude(const arguments& args, parts_folder& folder, const collection::result& summary, int status) {
    if (!summary.failed.empty()) {
        print_line("error: " + summary.failed);
        if (args.recover) {
            return no_trace;
        }
        print_line("the program continued without the recorder; free some space or memory, then: mallard "
                   "record --recover " +
                   args.file.string());
        return args.process != 0 ? no_trace : status;
    }
    if (summary.processes == 0) {
        return report_nothing_recorded(args, folder, summary, status);
    }
    trace::reader from(folder.trace());
    const totals total = sum(from.processes(), summary);
    if (total.events != 0) {
        report_completeness(total, from);
    } else if (total.stopped == trace::stop_reason::none) {
        report_no_events(args, total);
    }
    report_amounts(total, from.processes().size(), from.file_bytes());
    report_missing(total, summary, args);
    report_failure(status);
    folder.keep_trace();
    folder.remove();
    print_line("next: mallard profile " + args.file.string());
    return status;
}

} // namespace mallard::collector

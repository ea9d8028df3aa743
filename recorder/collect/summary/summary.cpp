#include "recorder/collect/summary/summary.hpp"

#include "recorder/collect/program/check.hpp"
#include "recorder/collect/summary/incomplete_stacks.hpp"
#include "recorder/collect/summary/numbers.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mallard::collect {

namespace {

constexpr int nothing_recorded = 2;
constexpr double least_complete = 0.95; // below it no scope is told

/// The processes of a recording as one.
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

totals sum(const std::vector<trace::process>& processes, const collection::result& told) {
    totals all;
    all.forks = told.forks_not_followed;
    all.programs = told.programs_not_followed;
    for (const trace::process& each : processes) {
        all.events += each.events;
        for (std::size_t end = 0; end < trace::stack_ends; ++end) {
            if (trace::is_complete(static_cast<trace::stack_end>(end))) {
                all.complete += each.events_by_end.at(end);
            }
        }
        all.threads += each.threads;
        all.forks += each.forks_not_followed;
        all.programs += each.programs_not_followed;
        all.nested += each.nested_events;
        all.names_lost += each.names_lost;
        all.has_stacks = all.has_stacks || each.stacks != trace::stack_source::none;
        if (each.ticks_per_second > 0 && each.last_ticks > each.first_ticks) {
            all.seconds = std::max(all.seconds, static_cast<double>(each.last_ticks - each.first_ticks) /
                                                    each.ticks_per_second);
        }
        if (all.stopped == trace::stop_reason::none) {
            all.stopped = each.stopped;
        }
    }
    all.programs -= std::min(all.programs, told.programs_found_late);
    return all;
}

std::string end_in_words(trace::stack_end end) {
    switch (end) {
    case trace::stack_end::unknown_code:
        return "in code that has no description of its frames (.eh_frame)";
    case trace::stack_end::unreadable:
        return "where the stack or its description is damaged";
    default:
        return "where they have more levels than there is room for";
    }
}

std::string stop_in_words(trace::stop_reason why) {
    switch (why) {
    case trace::stop_reason::disk_full:
        return "the disk is full; make room, or record to another disk with -o";
    case trace::stop_reason::file_full:
        return "the collector could not follow, and the part has no more room, or the process may take no "
               "more memory; record "
               "less with --sample N";
    case trace::stop_reason::no_memory:
        return "there was no memory for it; raise the limit of memory, or record less with --sample N";
    default:
        return "it was asked to";
    }
}

void tell_completeness(const totals& all, trace::reader& from) {
    if (!all.has_stacks) {
        say("no stacks, as --stacks none asks for; scopes will be withheld");
        return;
    }
    say(percent(all.complete, all.events) + " of " + with_commas(all.events) + " stacks are complete");
    if (static_cast<double>(all.complete) >= least_complete * static_cast<double>(all.events)) {
        return;
    }
    const incomplete_stacks most = incomplete_stacks::most_frequent(from);
    say("scopes will be withheld, which need 95 %: " + percent(most.events, all.events) + " end " +
        end_in_words(most.end) + ", most often in " + most.file);
}

void tell_no_events(const arguments& how, const totals& all) {
    say("no event: '" + how.program.front() +
        "' called neither malloc nor operator new in a way that can be recorded");
    if (all.programs != 0 && !how.follow) {
        say("it became another program, which was not followed; --follow records that too");
    }
}

void tell_amounts(const totals& all, std::size_t processes, std::uint64_t bytes) {
    std::string line = counted(all.events, "event") + " of " + counted(all.threads, "thread");
    if (processes > 1) {
        line += " in " + counted(processes, "process");
    }
    line += " in " + decimal(all.seconds, 2) + " s; " + bytes_in_words(bytes);
    if (all.events != 0) {
        line += ", " + decimal(static_cast<double>(bytes) / static_cast<double>(all.events), 2) +
                " bytes an event";
    }
    say(line);
}

void tell_not_followed(const totals& all, const arguments& how) {
    std::string not_followed;
    if (all.forks != 0) {
        not_followed = counted(all.forks, "fork");
    }
    if (all.programs != 0) {
        not_followed += (not_followed.empty() ? "" : " and ") + counted(all.programs, "executed program");
    }
    if (not_followed.empty()) {
        return;
    }
    if (how.follow) {
        say("could not be followed: " + not_followed +
            "; the reason may be a static program, other rights (setuid), an environment without LD_PRELOAD, "
            "or a process that cannot write to " +
            how.file.string() + ".parts");
    } else {
        say("not followed: " + not_followed + (how.recover ? "" : "; --follow records them too"));
    }
}

/// Tells the processes whose events were not seen. A program that allocates nothing is not among them.
void tell_programs_without_event(const std::vector<std::string>& programs) {
    std::map<std::string, std::uint64_t> times;
    for (const std::string& each : programs) {
        ++times[each];
    }
    std::uint64_t all = 0;
    std::string reasons;
    for (const auto& [program, number] : times) {
        if (const std::string reason = reason_for_no_event(program); !reason.empty()) {
            all += number;
            reasons += "; '" + program + "' " + reason;
        }
    }
    if (all != 0) {
        say("followed, but without an event: " + counted(all, "executed program") + reasons);
    }
}

void tell_missing(const totals& all, const collection::result& told, const arguments& how) {
    if (all.stopped != trace::stop_reason::none) {
        say("the recording stopped before the program's end: " + stop_in_words(all.stopped));
    }
    tell_not_followed(all, how);
    tell_programs_without_event(told.programs_without_event);
    if (all.nested != 0) {
        say("lost: " + counted(all.nested, "event") +
            " of signal handlers that interrupted the recorder, or whose stack has no room for it");
    }
    if (told.events_of_unknown_threads != 0) {
        say("lost: " + counted(told.events_of_unknown_threads, "event") +
            " of threads that allocated first when the program had restricted its system calls (seccomp)");
    }
    if (all.names_lost != 0) {
        say("lost: " + counted(all.names_lost, "use") + " of names for which there was no room");
    }
    if (told.damaged != 0) {
        say("lost: the ends of " + counted(told.damaged, "damaged chunk"));
    }
}

std::string ended_in_words(int status) {
    if (status <= 128) {
        return "ended with status " + std::to_string(status);
    }
    const char* const name = ::sigabbrev_np(status - 128);
    return "was ended by signal " + std::to_string(status - 128) +
           (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

/// Tells what may be the recorder's doing: the program's own words do not name it.
void tell_failure(int status) {
    if (status == 0) {
        return;
    }
    std::string line = "with the recorder the program " + ended_in_words(status);
    switch (status - 128) {
    case SIGSYS:
        line += "; if it does not without it, its sandbox (seccomp) forbids what the recorder asks of the "
                "system: turn it off "
                "for the recording";
        break;
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT:
    case SIGKILL:
        line += "; if it does not without it, a stack or a limit of memory is too small for both: raise it, "
                "or record with "
                "--stacks none, which needs least";
        break;
    default:
        break;
    }
    say(line);
}

int tell_nothing_recorded(const arguments& how, parts_folder& folder, int status) {
    folder.remove();
    if (how.program.empty()) {
        say("error: nothing was recorded, because the recording had not begun");
        return nothing_recorded;
    }
    say("error: nothing was recorded: '" + how.program.front() + "' " + ended_in_words(status) +
        " before its first allocation, or without the recorder; '" + how.file.string() + "' is as it was");
    say("a program is without the recorder if its parent clears LD_PRELOAD, or if there was no room for a "
        "part");
    tell_failure(status);
    return nothing_recorded;
}

} // namespace

void say(const std::string& line) {
    std::fprintf(stderr, "mallard: %s\n", line.c_str());
    std::fflush(stderr);
}

int conclude(const arguments& how, parts_folder& folder, const collection::result& told, int status) {
    if (!told.failed.empty()) {
        say("error: " + told.failed);
        say("the program went on without the recorder; make room, then: mallard record --recover " +
            how.file.string());
        return status;
    }
    if (told.processes == 0) {
        return tell_nothing_recorded(how, folder, status);
    }
    trace::reader from(folder.trace());
    const totals all = sum(from.processes(), told);
    if (all.events == 0) {
        tell_no_events(how, all);
    } else {
        tell_completeness(all, from);
    }
    tell_amounts(all, from.processes().size(), from.file_bytes());
    tell_missing(all, told, how);
    tell_failure(status);
    folder.keep_trace();
    folder.remove();
    say("next: mallard profile " + how.file.string());
    return status;
}

} // namespace mallard::collect

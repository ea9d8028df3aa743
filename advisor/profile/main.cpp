/// `mallard-profile`: reads a trace, and prints a profile of the program's memory as JSON.

#include "advisor/analysis/analysis.hpp"
#include "advisor/profile/arguments.hpp"
#include "advisor/profile/event_stream.hpp"
#include "advisor/profile/event_text.hpp"
#include "advisor/profile/symbol_names.hpp"
#include "advisor/report/profile_report.hpp"
#include "trace/reader.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

namespace {

using namespace mallard::advisor;
namespace trace = mallard::trace;

constexpr int failed = 2;

std::size_t chosen_process(const trace::reader& from, const arguments& given) {
    const std::vector<trace::process>& processes = from.processes();
    if (processes.empty()) {
        throw trace::trace_error(given.trace + ": the trace has no process. Record the program again.");
    }
    if (!given.process) {
        return static_cast<std::size_t>(
            std::max_element(processes.begin(), processes.end(),
                             [](const trace::process& left, const trace::process& right) {
                                 return left.events < right.events;
                             }) -
            processes.begin());
    }
    std::string numbers;
    for (std::size_t at = 0; at < processes.size(); ++at) {
        if (processes[at].number == *given.process) {
            return at;
        }
        if (at < 20) {
            numbers += (at == 0 ? "" : ", ") + std::to_string(processes[at].number);
        }
    }
    throw usage_error("The trace has no process " + std::to_string(*given.process) + ". It has " + numbers +
                      (processes.size() > 20 ? ", and others." : "."));
}

std::string profile(trace::reader& from, std::size_t which, const arguments& given, symbol_names& names) {
    const trace::process& process = from.processes()[which];
    const function_of_level function_of = [&](std::uint64_t level) { return names.function_at(level); };
    event_stream events(from, which);
    const scope_tree stacks(from.contexts(which), function_of);
    analysis analyse(stacks, function_of,
                     {process.first_ticks, process.last_ticks, process.ticks_per_second});
    for (std::span<const trace::event> next = events.next(); !next.empty(); next = events.next()) {
        analyse.add(next);
    }
    analyse.finish();

    report_request request;
    request.file = given.trace;
    request.file_bytes = from.file_bytes();
    request.torn_bytes = from.torn_bytes();
    request.processes = from.processes();
    request.chosen = which;
    request.marked_names = from.names(which);
    request.scope = given.scope;
    return profile_report(analyse, names, request);
}

void write_export(trace::reader& from, std::size_t which, const arguments& given) {
    std::error_code none;
    if (std::filesystem::equivalent(given.output, given.trace, none)) {
        throw usage_error("-o " + given.output + " is the trace itself. Name another file.");
    }
    code_map code(from.code(which), from.processes()[which].executable);
    given.exported->write(from, which, code, given.output);
    for (const std::string& each : code.warnings()) {
        std::fprintf(stderr, "mallard-profile: warning: %s\n", each.c_str());
    }
}

int run(const std::vector<std::string>& words) {
    const arguments given = read_arguments(words);
    if (given.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    trace::reader from(given.trace);
    const std::size_t which = chosen_process(from, given);
    if (given.exported != nullptr) {
        write_export(from, which, given);
        return 0;
    }
    symbol_names names(from.code(which), from.processes()[which].executable);
    if (given.symbols) {
        for (const std::string& name : names.with(*given.symbols)) {
            std::fprintf(stdout, "%s\n", name.c_str());
        }
    } else if (given.events) {
        write_event_text(stdout, from, which, names);
    } else {
        const std::string document = profile(from, which, given, names);
        std::fwrite(document.data(), 1, document.size(), stdout);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        throw std::runtime_error("The output cannot be written. Make room, or choose another place for it.");
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    try {
        return run({words + 1, words + count});
    } catch (const std::bad_alloc&) {
        std::fputs("mallard-profile: error: There is not enough memory for this trace.\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mallard-profile: error: %s\n", error.what());
    }
    return failed;
}

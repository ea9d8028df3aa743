/// `mallard-profile`: reads a trace, and prints a profile of the program's memory as JSON.

#include "profiler/analysis/analysis.hpp"
#include "profiler/export/exports.hpp"
#include "profiler/program/arguments.hpp"
#include "profiler/program/event_stream.hpp"
#include "profiler/program/event_text.hpp"
#include "profiler/program/process_choice.hpp"
#include "profiler/program/rules_document.hpp"
#include "profiler/program/symbol_names.hpp"
#include "profiler/report/profile_report.hpp"
#include "profiler/report/suppressions.hpp"
#include "profiler/scopes/inlined_stacks.hpp"
#include "profiler/symbols/hexadecimal.hpp"
#include "trace/printable.hpp"
#include "trace/reader.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mallard::advisor;
namespace trace = mallard::trace;

constexpr int failed = 2;

std::vector<std::string> suppression_patterns(const std::string& file) {
    std::ifstream from(file);
    if (!from || std::filesystem::is_directory(file)) {
        throw usage_error("--suppress " + file + ": the file cannot be read. Give a readable file.");
    }
    return read_suppressions(from, file);
}

/// Throws: usage_error if the recording does not have the part.
analysis::time_range analysed_range(const trace::process& process, const arguments& options) {
    analysis::time_range range{process.first_ticks, process.last_ticks, process.ticks_per_second};
    range.stamp_ticks = process.stamp_ticks;
    if (!options.between) {
        return range;
    }
    const std::uint64_t all = range.end();
    const double rate = process.ticks_per_second > 0 ? process.ticks_per_second : 1e9;
    const auto ticks = [&](const moment& at) {
        return at.value * (at.is_share ? static_cast<double>(all) : rate);
    };
    const double begin = ticks(options.between->first), end = ticks(options.between->second);
    if (!(begin < end) || end > static_cast<double>(all)) {
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(),
                      "--between: the first moment must be earlier than the second, and the recording of the "
                      "process has %.9gs.",
                      static_cast<double>(all) / rate);
        throw usage_error(text.data());
    }
    range.begin_ticks = static_cast<std::uint64_t>(std::ceil(begin));
    if (end < static_cast<double>(all)) { // else the last event is in the part
        range.end_ticks = static_cast<std::uint64_t>(std::ceil(end));
    }
    return range;
}

std::string profile(trace::reader& reader, std::size_t process_index, const arguments& options,
                    symbol_names& names) {
    std::optional<std::vector<std::string>> patterns;
    if (options.suppress) {
        patterns = suppression_patterns(*options.suppress);
    }
    const trace::process& process = reader.processes()[process_index];
    const function_lookup find_function = [&](std::uint64_t level) { return names.function_at(level); };
    event_stream events(reader, process_index);
    inlined_stacks expanded(reader.contexts(process_index),
                            [&](std::uint64_t recorded, std::vector<std::uint64_t>& levels) {
                                names.find_levels(recorded, levels);
                            });
    const scope_tree stacks(expanded.contexts(), find_function);
    analysis analyse(stacks, find_function, analysed_range(process, options));
    for (std::span<trace::event> next = events.next(); !next.empty(); next = events.next()) {
        expanded.expand(next);
        analyse.add(next);
    }
    analyse.finish();

    report_request request;
    request.file = options.trace;
    request.file_bytes = reader.file_bytes();
    request.torn_bytes = reader.torn_bytes();
    request.processes = reader.processes();
    request.chosen = process_index;
    for (const trace::code_file& file : reader.code(process_index)) {
        if (file.path.empty() && !process.executable.empty()) { // without a name, all files are redacted
            request.build_id = hex_digits(file.build_id);
        }
    }
    request.marked_names = reader.names(process_index);
    request.memory = reader.memory(process_index);
    request.scope = options.scope;
    request.all_rows = options.all_rows;
    request.suppressions = std::move(patterns);
    return profile_report(analyse, names, request);
}

int run(const std::vector<std::string>& words) {
    const arguments options = read_arguments(words);
    trace::reader reader(options.trace);
    if (reader.processes().empty()) {
        throw trace::trace_error(options.trace + ": the trace has no process. Record the program again.");
    }
    const std::size_t process_index = choose_process(reader, options.process);
    const std::string& executable = reader.processes()[process_index].executable;
    symbol_names names(reader.code(process_index), executable);
    if (options.symbols) {
        for (const std::string& name : names.containing(*options.symbols)) {
            std::fprintf(stdout, "%s\n", name.c_str());
        }
    } else if (options.events) {
        write_event_text(stdout, reader, process_index, names);
    } else if (options.history) {
        write_history(reader, process_index, stdout);
    } else if (options.stacks) {
        code_map code(reader.code(process_index), executable);
        const std::string document = stacks_document(reader, process_index, code);
        std::fwrite(document.data(), 1, document.size(), stdout);
    } else {
        const std::string document =
            options.rules ? rules_document(reader, process_index, names, *options.rules, options.except)
                          : profile(reader, process_index, options, names);
        std::fwrite(document.data(), 1, document.size(), stdout);
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        throw std::runtime_error(
            "The output cannot be written. Free some space, or redirect it to another file.");
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
        std::fprintf(stderr, "mallard-profile: error: %s\n", trace::printable(error.what()).c_str());
    }
    return failed;
}

#include "profiler/damaged/profile_mutated.hpp"

#include "profiler/export/exports.hpp"
#include "profiler/program/symbol_names.hpp"
#include "profiler/report/profile_report.hpp"
#include "profiler/scopes/inlined_stacks.hpp"
#include "trace/recordings/mutated_trace.hpp"
#include "trace/recordings/trace_file.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace mallard::test {

namespace {

std::string profile(trace::reader& reader, std::size_t index, advisor::symbol_names& names) {
    const trace::process& process = reader.processes()[index];
    const advisor::function_lookup find_function = [&](std::uint64_t level) {
        return names.function_at(level);
    };
    // Some addresses are as if a function were inlined there, which DWARF does not know.
    advisor::inlined_stacks expanded(
        reader.contexts(index), [](std::uint64_t recorded, std::vector<std::uint64_t>& levels) {
            const bool is_inlined = recorded % 4 == 1;
            if (is_inlined) {
                levels.push_back(advisor::calling_level(0, recorded - recorded % 64));
            }
            levels.push_back(advisor::inlined_level(is_inlined ? 1 : 0, recorded));
        });
    const advisor::scope_tree stacks(expanded.contexts(), find_function);
    advisor::analysis results(stacks, find_function,
                              {process.first_ticks, process.last_ticks, process.ticks_per_second});
    reader.begin(index);
    for (auto batch = reader.next(); !batch.empty(); batch = reader.next()) {
        std::vector<trace::event> events(batch.begin(), batch.end());
        expanded.expand(events);
        results.add(events);
    }
    results.finish();
    advisor::report_request request;
    request.file = "damaged.trace";
    request.file_bytes = reader.file_bytes();
    request.torn_bytes = reader.torn_bytes();
    request.processes = reader.processes();
    request.chosen = index;
    request.marked_names = reader.names(index);
    request.memory = reader.memory(index);
    return advisor::profile_report(results, names, request);
}

/// Throws: std::logic_error if the text cannot be a JSON document: its brackets do not match.
void check_document(const std::string& text) {
    std::string open;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (in_string && letter == '\\') {
            ++at;
        } else if (letter == '"') {
            in_string = !in_string;
        } else if (!in_string && (letter == '{' || letter == '[')) {
            open += letter == '{' ? '}' : ']';
        } else if (!in_string && (letter == '}' || letter == ']')) {
            if (open.empty() || open.back() != letter) {
                throw std::logic_error("a profile has brackets in pairs");
            }
            open.pop_back();
        }
        if (static_cast<unsigned char>(letter) < ' ' && letter != '\n') {
            throw std::logic_error("a profile has no control characters");
        }
    }
    if (!open.empty() || in_string || !text.starts_with('{')) {
        throw std::logic_error("a profile is a whole document");
    }
}

} // namespace

bool profile_all(const std::vector<std::byte>& bytes) {
    static memory_file file;
    static const std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere(std::fopen("/dev/null", "w"),
                                                                         &std::fclose);
    file.set(bytes);
    try {
        trace::reader reader(file.path());
        for (std::size_t index = 0; index < reader.processes().size(); ++index) {
            const std::string& executable = reader.processes()[index].executable;
            advisor::symbol_names names(reader.code(index), executable);
            check_document(profile(reader, index, names));
            advisor::code_map code(reader.code(index), executable);
            check_document(advisor::stacks_document(reader, index, code));
            try {
                advisor::write_history(reader, index, nowhere.get());
            } catch (const advisor::export_error&) { // there is no history without a request
            }
        }
        return true;
    } catch (const trace::trace_error&) {
        return false;
    }
}

std::uint64_t profile_mutated(std::uint64_t seed, std::uint64_t count) {
    trace_mutator mutated(seed);
    std::uint64_t read = 0;
    for (; count != 0; --count) {
        read += profile_all(mutated.next()) ? 1U : 0U;
    }
    return read;
}

} // namespace mallard::test

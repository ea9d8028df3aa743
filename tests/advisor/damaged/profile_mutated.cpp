#include "advisor/damaged/profile_mutated.hpp"

#include "advisor/export/exports.hpp"
#include "advisor/profile/symbol_names.hpp"
#include "advisor/report/profile_report.hpp"
#include "trace/recordings/mutated_trace.hpp"
#include "trace/recordings/trace_file.hpp"

#include <stdexcept>
#include <string>

namespace mallard::test {

namespace {

std::string profile(trace::reader& from, std::size_t which, advisor::symbol_names& names) {
    const trace::process& process = from.processes()[which];
    const advisor::function_of_level function_of = [&](std::uint64_t level) {
        return names.function_at(level);
    };
    const advisor::scope_tree stacks(from.contexts(which), function_of);
    advisor::analysis analyse(stacks, function_of,
                              {process.first_ticks, process.last_ticks, process.ticks_per_second});
    from.begin(which);
    for (auto some = from.next(); !some.empty(); some = from.next()) {
        analyse.add(some);
    }
    analyse.finish();
    advisor::report_request request;
    request.file = "damaged.trace";
    request.file_bytes = from.file_bytes();
    request.torn_bytes = from.torn_bytes();
    request.processes = from.processes();
    request.chosen = which;
    request.marked_names = from.names(which);
    return advisor::profile_report(analyse, names, request);
}

/// Throws: std::logic_error if the text cannot be one document of JSON: its brackets are not in pairs.
void look_at_document(const std::string& text) {
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
    file.set(bytes);
    try {
        trace::reader from(file.path());
        for (std::size_t which = 0; which < from.processes().size(); ++which) {
            const std::string& executable = from.processes()[which].executable;
            advisor::symbol_names names(from.code(which), executable);
            look_at_document(profile(from, which, names));
            for (const advisor::export_format& each : advisor::export_formats()) {
                advisor::code_map code(from.code(which), executable);
                each.write(from, which, code, "/dev/null");
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

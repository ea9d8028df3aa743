#include "collector/arguments.hpp"

#include "trace/command_line.hpp"

#include <charconv>
#include <string_view>

namespace mallard::collector {

namespace {

/// Effects: stores the option's value, if it is given, in `number`.
template <typename Number>
void read_number(const trace::command_line& line, std::string_view name, Number& number) {
    if (const auto text = line.value(name)) {
        const char* const end = text->data() + text->size();
        const auto read = std::from_chars(text->data(), end, number);
        if (read.ec != std::errc{} || read.ptr != end) {
            throw trace::usage_error(std::string(name) + " '" + *text + "'; allowed are whole numbers");
        }
    }
}

} // namespace

arguments read_arguments(const std::vector<std::string>& words) {
    const trace::command_line line(words, {"--follow", "--until-end", "--redact"},
                                   {"-o", "--facts", "--stacks", "--sample", "--for", "--limit", "--signal",
                                    "--recover", "--pid", "--started", "--elf"});
    arguments result;
    result.recover = line.has("--recover");
    result.file = line.value(result.recover ? "--recover" : "-o").value_or(result.file.string());
    result.stacks = line.value("--stacks").value_or(result.stacks);
    result.follow = line.has("--follow");
    result.until_end = line.has("--until-end");
    result.redact = line.has("--redact");
    auto milliseconds = result.duration.count();
    read_number(line, "--for", milliseconds);
    result.duration = std::chrono::milliseconds(milliseconds);
    read_number(line, "--facts", result.facts);
    read_number(line, "--sample", result.sample);
    read_number(line, "--limit", result.most_bytes);
    read_number(line, "--signal", result.signal);
    read_number(line, "--pid", result.process);
    result.program = line.words();
    if (result.program.empty() && !result.recover && result.process == 0) {
        throw trace::usage_error("PROGRAM is missing; give it after '--'");
    }
    if (!result.program.empty()) {
        result.started = line.value("--started").value_or(result.program.front());
        result.elf = line.value("--elf").value_or(result.started.string());
    }
    return result;
}

} // namespace mallard::collector

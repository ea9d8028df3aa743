#include "profiler/export/block_counts.hpp"
#include "profiler/export/exports.hpp"
#include "profiler/export/frame_table.hpp"
#include "profiler/symbols/hexadecimal.hpp"
#include "trace/json_writer.hpp"
#include "trace/printable.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mallard::advisor {

using trace::json_writer;

namespace {

/// Returns: the number, or the largest one of a column.
std::uint64_t limited(std::uint64_t number) noexcept {
    return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

void write_process(json_writer& json, const trace::process& process, const heap_history& history) {
    std::optional<std::string> command;
    for (const std::string& argument : process.command) {
        command = command ? *command + ' ' + trace::printable(argument) : trace::printable(argument);
    }
    json.key("exports").begin_list().begin_list().value(process.number);
    json.value(trace::printable(process.executable)).value(command);
    json.value(std::isfinite(process.ticks_per_second) ? process.ticks_per_second : 0.0);
    json.value(limited(history.ticks())).value(limited(history.ticks_at_peak()));
    json.value(process.sampled_one_in).end_list().end_list();
}

void write_counts(json_writer& json, const block_counts& counts) {
    for (const blocks_and_bytes& amount : {counts.allocated, counts.at_peak, counts.alive, counts.most}) {
        json.value(limited(amount.blocks)).value(limited(amount.bytes));
    }
    json.value(limited(counts.ticks));
}

/// Effects: writes the calls that allocated, and those at which stacks part, callers first. Frames are numbered from the
/// innermost one of the first stack.
void write_calls(json_writer& json, const trace::context_tree& contexts, const heap_history& history,
                 frame_table& frames) {
    const auto allocated = [&](trace::context_id context) {
        return history.contexts()[context].allocated.blocks != 0;
    };
    const auto find_frame = [&](trace::context_id context) {
        const auto level = frames.find_level(context);
        return level || !allocated(context) ? level : frames.no_stack();
    };
    std::vector<bool> shown(contexts.size()), has_row(contexts.size());
    for (trace::context_id context = 0; context < contexts.size(); ++context) {
        has_row[context] = allocated(context);
        for (trace::context_id at = context; !shown[at] && (at != context || allocated(at));
             at = contexts.parent(at)) {
            shown[at] = true;
            static_cast<void>(find_frame(at));
            if (at < trace::stack_ends) {
                break;
            }
            if (contexts.begins_run(at)) {
                has_row[contexts.parent(at)] = true;
            }
        }
    }
    std::vector<std::optional<std::uint32_t>> numbers(contexts.size());
    std::optional<std::uint32_t> caller;
    std::uint32_t calls = 0;
    std::string path; // from the caller's frame to the last one
    json.key("calls").begin_list();
    for (trace::context_id context = 0; context < contexts.size(); ++context) {
        const auto frame = shown[context] ? find_frame(context) : std::nullopt;
        if (!frame) {
            continue;
        }
        if (contexts.begins_run(context)) {
            caller = context < trace::stack_ends ? std::nullopt : numbers[contexts.parent(context)];
            path.clear();
        }
        path += (path.empty() ? "" : ",") + std::to_string(*frame);
        if (has_row[context]) {
            json.begin_list().value(calls).value(caller).value(path);
            write_counts(json, history.contexts()[context]);
            json.end_list();
            // What has no level is no caller, even if it allocated.
            caller = frames.find_level(context) ? std::optional(calls) : std::nullopt;
            numbers[context] = caller;
            path.clear();
            ++calls;
        }
    }
    json.end_list();
}

/// Effects: writes the files that the frames are in, the program first, where readers expect it.
/// Returns: by index in `files` the number of the file.
std::vector<std::optional<std::size_t>> write_files(json_writer& json, code_map& code,
                                                    const std::vector<trace::code_file>& files,
                                                    const std::string& program, const frame_table& frames) {
    std::vector<bool> used(files.size() + 1);
    for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
        used[frames[frame].file] = true;
    }
    std::vector<std::optional<std::size_t>> numbers(files.size() + 1);
    std::size_t count = 0;
    json.key("loaded_files").begin_list();
    for (const bool programs : {true, false}) {
        for (std::size_t index = 0; index < files.size(); ++index) {
            const trace::code_file& file = files[index];
            if (!used[index] || (file.path.empty() || file.path == program) != programs) {
                continue;
            }
            numbers[index] = ++count;
            const loaded_object object = code.object(index);
            json.begin_list().value(count).value(limited(file.begin)).value(limited(file.end));
            json.value(trace::printable(object.path.empty() ? object.name : object.path));
            json.value(hex_digits(file.build_id)).value(object.has_lines).end_list();
        }
    }
    json.end_list();
    return numbers;
}

} // namespace

std::string stacks_document(trace::reader& trace, std::size_t process, code_map& code) {
    const std::vector<trace::code_file>& files = trace.code(process);
    const std::string& program = trace.processes()[process].executable;
    const heap_history history(trace, process);
    frame_table frames(trace.contexts(process), code, files.size());
    json_writer json;
    json.begin_object().field("format", "mallard profile").field("version", 1U);
    write_process(json, trace.processes()[process], history);
    write_calls(json, trace.contexts(process), history, frames);
    const auto numbers = write_files(json, code, files, program, frames);
    json.key("frames").begin_list();
    for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
        const frame_table::level& level = frames[frame];
        for (const place& function : level.places) {
            json.begin_list().value(frame).value(limited(level.instruction)).value(numbers[level.file]);
            json.value(level.object).value(function.name).value(function.short_name);
            json.value(function.file).value(function.line).value(function.inlined).end_list();
        }
    }
    json.end_list().end_object();
    return json.text() + '\n';
}

} // namespace mallard::advisor

#include "recorder/marks/traced_part.hpp"

#include "trace/part_file.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace recorder_test {

namespace trace = mallard::trace;

namespace {

std::vector<std::uint64_t> stack_levels(const trace::context_tree& contexts, trace::context_id context) {
    std::vector<std::uint64_t> levels;
    for (; contexts[context].depth != 0; context = contexts[context].parent) {
        levels.push_back(contexts[context].address);
    }
    std::reverse(levels.begin(), levels.end());
    return levels;
}

} // namespace

part read_by_trace(const std::filesystem::path& file) {
    std::filesystem::path traced = file;
    traced += ".trace";
    {
        trace::writer to(traced, {});
        mallard::test::add_part(file, to);
        to.finish();
    }
    trace::reader from(traced);
    part result;
    result.process = from.processes().at(0).number;
    result.threads = from.processes().at(0).threads;
    const std::vector<std::string>& names = from.names(0);
    for (std::size_t number = 0; number < names.size(); ++number) {
        if (!names[number].empty()) {
            result.names[number] = names[number];
        }
    }
    for (const trace::code_file& file_of_code : from.code(0)) {
        result.code.push_back(file_of_code.path);
    }
    from.begin(0);
    for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
        for (const trace::event& event : batch) {
            if (trace::has_stack(event.kind) || trace::is_of_function(event.kind)) {
                result.events.push_back({.kind = event.kind,
                                         .ticks = event.ticks,
                                         .thread = event.thread,
                                         .address = event.address,
                                         .bytes = event.bytes,
                                         .pool = event.pool,
                                         .kept = event.kept,
                                         .levels = stack_levels(from.contexts(0), event.context)});
            }
        }
    }
    return result;
}

} // namespace recorder_test

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

std::vector<std::uint64_t> levels_of(const trace::context_tree& contexts, trace::context_id which) {
    std::vector<std::uint64_t> levels;
    for (; contexts[which].depth != 0; which = contexts[which].parent) {
        levels.push_back(contexts[which].address);
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
    part found;
    found.process = from.processes().at(0).number;
    found.threads = from.processes().at(0).threads;
    const std::vector<std::string>& names = from.names(0);
    for (std::size_t number = 0; number < names.size(); ++number) {
        if (!names[number].empty()) {
            found.names[number] = names[number];
        }
    }
    for (const trace::code_file& each : from.code(0)) {
        found.code.push_back(each.path);
    }
    from.begin(0);
    for (auto some = from.next(); !some.empty(); some = from.next()) {
        for (const trace::event& each : some) {
            if (trace::has_stack(each.kind) || trace::is_of_function(each.kind)) {
                found.events.push_back({.kind = each.kind,
                                        .ticks = each.ticks,
                                        .thread = each.thread,
                                        .address = each.address,
                                        .bytes = each.bytes,
                                        .pool = each.pool,
                                        .kept = each.kept,
                                        .levels = levels_of(from.contexts(0), each.context)});
            }
        }
    }
    return found;
}

} // namespace recorder_test

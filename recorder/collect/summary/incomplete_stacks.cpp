#include "recorder/collect/summary/incomplete_stacks.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace mallard::collect {

namespace {

using trace::context_id;

/// Returns: for each context the outermost level of its stack; for a root itself.
std::vector<context_id> outermost_levels(const trace::context_tree& contexts) {
    std::vector<context_id> outermost(contexts.size());
    for (context_id each = 0; each < contexts.size(); ++each) {
        outermost[each] = contexts[each].depth <= 1 ? each : outermost[contexts[each].parent];
    }
    return outermost;
}

std::string name_of(const trace::code_file& file, const trace::process& of) {
    if (!file.path.empty()) {
        return file.path;
    }
    return of.executable.empty() ? "the program itself" : of.executable;
}

std::string file_at(std::uint64_t address, const std::vector<trace::code_file>& files,
                    const trace::process& of) {
    const std::uint64_t place = address & ~trace::interrupted_level;
    for (const trace::code_file& file : files) {
        if (place >= file.begin && place < file.end) {
            return name_of(file, of);
        }
    }
    return "code that is in no file";
}

} // namespace

incomplete_stacks incomplete_stacks::most_frequent(trace::reader& from) {
    std::map<trace::stack_end, std::uint64_t> ends;
    std::map<std::pair<trace::stack_end, std::string>, std::uint64_t> files;
    for (std::size_t process = 0; process < from.processes().size(); ++process) {
        const trace::context_tree& contexts = from.contexts(process);
        const std::vector<context_id> outermost = outermost_levels(contexts);
        std::vector<std::uint64_t> events(contexts.size());
        from.begin(process);
        for (auto some = from.next(); !some.empty(); some = from.next()) {
            for (const trace::event& each : some) {
                if (trace::has_stack(each.kind)) {
                    ++events[outermost[each.context]];
                }
            }
        }
        for (context_id each = 0; each < contexts.size(); ++each) {
            if (events[each] == 0) {
                continue;
            }
            const trace::stack_end end = contexts.end_of(each); // `each` is an outermost level
            if (trace::is_complete(end)) {
                continue;
            }
            ends[end] += events[each];
            files[{end, file_at(contexts[each].address, from.code(process), from.processes()[process])}] +=
                events[each];
        }
    }
    incomplete_stacks found;
    for (const auto& [end, events] : ends) {
        if (events > found.events) {
            found = {end, events, {}};
        }
    }
    std::uint64_t most = 0;
    for (const auto& [where, events] : files) {
        if (where.first == found.end && events > most) {
            most = events;
            found.file = where.second;
        }
    }
    return found;
}

} // namespace mallard::collect

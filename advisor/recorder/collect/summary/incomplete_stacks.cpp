#include "recorder/collect/summary/incomplete_stacks.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace mallard::collect {

namespace {

using trace::context_id;

/// Returns: for each context the outermost level of its stack; for a root, the root.
std::vector<context_id> outermost_levels(const trace::context_tree& contexts) {
    std::vector<context_id> outermost(contexts.size());
    for (context_id context = 0; context < contexts.size(); ++context) {
        outermost[context] = contexts[context].depth <= 1 ? context : outermost[contexts[context].parent];
    }
    return outermost;
}

std::string file_name(const trace::code_file& file, const trace::process& process) {
    if (!file.path.empty()) {
        return file.path;
    }
    return process.executable.empty() ? "the program itself" : process.executable;
}

std::string file_at(std::uint64_t address, const std::vector<trace::code_file>& files,
                    const trace::process& process) {
    const std::uint64_t place = address & ~trace::interrupted_level;
    for (const trace::code_file& file : files) {
        if (place >= file.begin && place < file.end) {
            return file_name(file, process);
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
        for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
            for (const trace::event& event : batch) {
                if (trace::has_stack(event.kind)) {
                    ++events[outermost[event.context]];
                }
            }
        }
        for (context_id context = 0; context < contexts.size(); ++context) {
            if (events[context] == 0) {
                continue;
            }
            const trace::stack_end end = contexts.root_end(context); // `context` is an outermost level
            if (trace::is_complete(end)) {
                continue;
            }
            ends[end] += events[context];
            files[{end, file_at(contexts[context].address, from.code(process), from.processes()[process])}] +=
                events[context];
        }
    }
    incomplete_stacks result;
    for (const auto& [end, events] : ends) {
        if (events > result.events) {
            result = {end, events, {}};
        }
    }
    std::uint64_t most = 0;
    for (const auto& [key, events] : files) {
        if (key.first == result.end && events > most) {
            most = events;
            result.file = key.second;
        }
    }
    return result;
}

} // namespace mallard::collect

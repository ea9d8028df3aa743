#include "advisor/profile/event_text.hpp"

#include <cinttypes>

namespace mallard::advisor {

void write_event_text(std::FILE* to, trace::reader& from, std::size_t which, code_names& names) {
    const trace::process& process = from.processes()[which];
    const trace::context_tree& contexts = from.contexts(which);
    std::fprintf(to, "process %u %" PRIu64 " %" PRIu64 " %.17g %u %u %u %" PRIu64 "\n", process.number,
                 process.first_ticks, process.last_ticks, process.ticks_per_second, process.threads,
                 process.timed_one_in, static_cast<unsigned>(process.stacks), process.cpu_nanoseconds);
    for (std::size_t number = 0; number < from.names(which).size(); ++number) {
        if (!from.names(which)[number].empty()) {
            std::fprintf(to, "name %zu %s\n", number, from.names(which)[number].c_str());
        }
    }
    for (std::size_t node = trace::stack_ends; node < contexts.size(); ++node) {
        const trace::context_tree::node& of = contexts[static_cast<trace::context_id>(node)];
        const scope_id function = names.function_at(of.address);
        std::fprintf(to, "context %zu %u %" PRIx64 " %u %s\n", node, of.parent, of.address, function,
                     names.function(function).name.c_str());
    }
    from.begin(which);
    for (std::span<const trace::event> events = from.next(); !events.empty(); events = from.next()) {
        for (const trace::event& each : events) {
            std::fprintf(to, "%" PRIu64 " %u %u %" PRIx64 " %" PRIu64 " %" PRIu64 " %u %u %" PRIu64 "\n",
                         each.ticks, each.thread, static_cast<unsigned>(each.kind), each.address, each.bytes,
                         each.ticks_inside, each.kept, each.context, each.pool);
        }
    }
}

} // namespace mallard::advisor

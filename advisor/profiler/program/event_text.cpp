#include "profiler/program/event_text.hpp"

#include <cinttypes>

namespace mallard::advisor {

void write_event_text(std::FILE* to, trace::reader& reader, std::size_t index, code_names& names) {
    const trace::process& process = reader.processes()[index];
    const trace::context_tree& contexts = reader.contexts(index);
    std::fprintf(to, "process %u %" PRIu64 " %" PRIu64 " %.17g %u %u %u %" PRIu64 " %.17g\n", process.number,
                 process.first_ticks, process.last_ticks, process.ticks_per_second, process.threads,
                 process.timed_one_in, static_cast<unsigned>(process.stacks), process.cpu_nanoseconds,
                 process.stamp_ticks);
    for (std::size_t number = 0; number < reader.names(index).size(); ++number) {
        if (!reader.names(index)[number].empty()) {
            std::fprintf(to, "name %zu %s\n", number, reader.names(index)[number].c_str());
        }
    }
    for (std::size_t node = trace::stack_ends; node < contexts.size(); ++node) {
        const trace::context_tree::node context = contexts[static_cast<trace::context_id>(node)];
        const scope_id function = names.function_at(context.address);
        std::fprintf(to, "context %zu %u %" PRIx64 " %u %s\n", node, context.parent, context.address,
                     function, names.function(function).name.c_str());
    }
    reader.begin(index);
    for (std::span<const trace::event> events = reader.next(); !events.empty(); events = reader.next()) {
        for (const trace::event& event : events) {
            std::fprintf(to, "%" PRIu64 " %u %u %" PRIx64 " %" PRIu64 " %" PRIu64 " %u %u %" PRIu64 "\n",
                         event.ticks, event.thread, static_cast<unsigned>(event.kind), event.address,
                         event.bytes, event.ticks_inside, event.kept, event.context, event.pool);
        }
    }
}

} // namespace mallard::advisor

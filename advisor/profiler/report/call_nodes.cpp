#include "profiler/report/call_nodes.hpp"

namespace mallard::advisor {

call_nodes::call_nodes(const scope_tree& stacks, const call_table& calls)
    : words_(stacks.size() / word_bits + 1) {
    const bool all = calls.shared_contexts() == 0;
    const std::size_t first_nodes = all ? stacks.size() : std::size_t{trace::stack_ends};
    for (std::size_t node = 0; node < first_nodes; ++node) {
        add(static_cast<trace::context_id>(node));
    }
    for (const call_totals& call : calls.all()) {
        trace::context_id node = call.context;
        while (add(node)) {
            node = stacks.contexts().parent(node);
        }
    }
    for (word& at : words_) {
        at.before = static_cast<std::uint32_t>(size_);
        size_ += trace::count_bits(at.nodes);
    }
}

bool call_nodes::add(trace::context_id node) noexcept {
    std::uint32_t& nodes = words_[node / word_bits].nodes;
    const std::uint32_t bit = std::uint32_t{1} << node % word_bits;
    const bool is_new = (nodes & bit) == 0;
    nodes |= bit;
    return is_new;
}

} // namespace mallard::advisor

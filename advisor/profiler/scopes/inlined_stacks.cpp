#include "profiler/scopes/inlined_stacks.hpp"

#include <algorithm>
#include <utility>

namespace mallard::advisor {

namespace {

/// The levels of each recorded address.
class address_levels {
public:
    address_levels(const trace::context_tree& contexts, const level_lookup& find_levels) {
        begins_.push_back(0);
        for (trace::address_id number = 0; number < contexts.addresses(); ++number) {
            if (number != 0) {
                find_levels(contexts.address_at(number), levels_);
            }
            begins_.push_back(levels_.size());
        }
    }

    [[nodiscard]] bool are_recorded() const noexcept { return levels_.size() + 2 == begins_.size(); }
    [[nodiscard]] std::span<const std::uint64_t> at(trace::address_id number) const noexcept {
        return std::span(levels_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
    }

private:
    std::vector<std::uint64_t> levels_;
    std::vector<std::size_t> begins_;
};

} // namespace

inlined_stacks::inlined_stacks(const trace::context_tree& recorded, const level_lookup& find_levels)
    : recorded_(&recorded) {
    const address_levels levels(recorded, find_levels);
    if (levels.are_recorded()) {
        return;
    }
    nodes_.reserve(recorded.size());
    for (std::size_t index = 0; index < recorded.size(); ++index) {
        const auto node = static_cast<trace::context_id>(index);
        if (node < trace::stack_ends) {
            nodes_.push_back(node);
            continue;
        }
        trace::context_id expanded = nodes_[recorded.parent(node)];
        for (const std::uint64_t level : levels.at(recorded.address_number(node))) {
            expanded = expanded_.child(expanded, level);
        }
        nodes_.push_back(expanded);
    }
}

void inlined_stacks::expand(std::span<trace::event> events) {
    if (nodes_.empty()) {
        return;
    }
    for (trace::event& event : events) {
        if (trace::has_stack(event.kind)) {
            expand(event);
        }
    }
}

void inlined_stacks::expand(trace::event& event) {
    const std::uint32_t depth = recorded_->depth(event.context);
    trace::context_id node = event.context;
    trace::context_id inside = node; // the outermost recorded level that is not kept
    for (std::uint32_t level = depth; level > event.kept; --level) {
        inside = node;
        node = recorded_->parent(node);
    }
    const trace::context_id expanded = nodes_[event.context];
    std::uint32_t kept = expanded_.depth(nodes_[node]);
    if (last_.size() <= event.thread) {
        last_.resize(event.thread + 1);
    }
    const trace::context_id last = std::exchange(last_[event.thread], expanded);
    if (inside != node) {
        const std::uint32_t calling = expanded_.depth(nodes_[inside]) - 1;
        if (calling > kept) {
            kept = std::max(kept, std::min(calling, expanded_.common_levels(last, expanded)));
        }
    }
    event.context = expanded;
    event.kept = kept;
}

} // namespace mallard::advisor

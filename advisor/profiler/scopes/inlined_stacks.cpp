#include "profiler/scopes/inlined_stacks.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace mallard::advisor {

namespace {

/// The levels of each recorded address, by their numbers in the tree with more levels. Its own level is the last one.
class address_levels {
public:
    address_levels(const trace::context_tree& recorded, const level_lookup& find_levels,
                   trace::context_tree& expanded) {
        std::unordered_map<std::uint64_t, trace::address_id> calls;
        std::vector<std::uint64_t> levels;
        begins_.push_back(0);
        for (trace::address_id number = 0; number < recorded.addresses(); ++number) {
            levels.clear();
            if (number != 0) {
                find_levels(recorded.address_at(number), levels);
            }
            for (const std::uint64_t level : levels) {
                trace::address_id& known = calls[level];
                if (known == 0) {
                    known = expanded.add_address(level);
                }
                numbers_.push_back(known);
            }
            begins_.push_back(numbers_.size());
        }
    }

    [[nodiscard]] bool are_recorded() const noexcept { return numbers_.size() + 2 == begins_.size(); }
    [[nodiscard]] std::span<const trace::address_id> calls(trace::address_id number) const noexcept {
        return std::span(numbers_).subspan(begins_[number], begins_[number + 1] - begins_[number] - 1);
    }
    [[nodiscard]] trace::address_id own(trace::address_id number) const noexcept {
        return numbers_[begins_[number + 1] - 1];
    }

private:
    std::vector<trace::address_id> numbers_;
    std::vector<std::size_t> begins_;
};

/// Finds the nodes that call inlined functions. Other nodes are distinct, as recorded, and need no search: a table of
/// all nodes would be larger than their tree.
///
/// Data model: open addressing by (parent, address); at most half of the places have a node.
class calling_nodes {
public:
    explicit calling_nodes(trace::context_tree& tree) : tree_(&tree), table_(first_places) {}

    /// Returns: the child with that address, added if necessary.
    trace::context_id child(trace::context_id parent, trace::address_id address) {
        if (2 * ++nodes_ > table_.size()) {
            grow();
        }
        trace::context_id& entry = find(parent, address);
        if (entry == 0) {
            entry = tree_->append(parent, address);
        } else {
            --nodes_;
        }
        return entry;
    }

private:
    static constexpr std::size_t first_places = 1024;

    trace::context_id& find(trace::context_id parent, trace::address_id address) noexcept {
        const std::uint64_t hash = (address ^ parent * 0x9e37'79b9'7f4a'7c15U) * 0xff51'afd7'ed55'8ccdU;
        std::size_t place = (hash >> 31) & (table_.size() - 1);
        while (table_[place] != 0 &&
               (tree_->address_number(table_[place]) != address || tree_->parent(table_[place]) != parent)) {
            place = (place + 1) & (table_.size() - 1);
        }
        return table_[place];
    }

    void grow() {
        trace::large_vector<trace::context_id> former(2 * table_.size());
        std::swap(former, table_);
        for (const trace::context_id node : former) {
            if (node != 0) {
                find(tree_->parent(node), tree_->address_number(node)) = node;
            }
        }
    }

    trace::context_tree* tree_;
    trace::large_vector<trace::context_id> table_;
    std::size_t nodes_ = 0;
};

} // namespace

inlined_stacks::inlined_stacks(const trace::context_tree& recorded, const level_lookup& find_levels)
    : recorded_(&recorded) {
    const address_levels levels(recorded, find_levels, expanded_);
    if (levels.are_recorded()) {
        return;
    }
    calling_nodes calls(expanded_);
    nodes_.reserve(recorded.size());
    for (std::size_t index = 0; index < recorded.size(); ++index) {
        const auto node = static_cast<trace::context_id>(index);
        if (node < trace::stack_ends) {
            nodes_.push_back(node);
            continue;
        }
        trace::context_id outer = nodes_[recorded.parent(node)];
        for (const trace::address_id call : levels.calls(recorded.address_number(node))) {
            outer = calls.child(outer, call);
        }
        nodes_.push_back(expanded_.append(outer, levels.own(recorded.address_number(node))));
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
    if (threads_.size() <= event.thread) {
        threads_.resize(event.thread + 1);
    }
    auto& [last, depths] = threads_[event.thread];
    const trace::context_id expanded = nodes_[event.context];
    std::uint32_t depth = expanded_.depth(expanded);
    // A damaged trace may report more levels as kept than there are.
    depths.resize(std::min<std::size_t>(event.kept, depths.size()));
    while (!depths.empty() && depths.back() > depth) {
        depths.pop_back();
    }
    const std::size_t kept_levels = depths.size();
    std::uint32_t kept = depths.empty() ? 0 : depths.back();
    trace::context_id node = expanded;
    for (; depth > kept; --depth) {
        if (!calls_inlined(expanded_.address(node))) {
            depths.push_back(depth);
        }
        node = expanded_.parent(node);
    }
    std::ranges::reverse(depths.begin() + static_cast<std::ptrdiff_t>(kept_levels), depths.end());
    // Inlined calls may go on outside of the first level that is not kept.
    if (kept_levels != depths.size() && depths[kept_levels] - 1 > kept) {
        kept = std::max(kept, std::min(depths[kept_levels] - 1, expanded_.common_levels(last, expanded)));
    }
    last = expanded;
    event.context = expanded;
    event.kept = kept;
}

} // namespace mallard::advisor

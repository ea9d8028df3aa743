#include "profiler/scopes/scope_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace mallard::advisor {

namespace {

/// A stack that allocates.
struct path {
    trace::context_id level; ///< the level that the current node looks at
    position decision;
    std::uint64_t allocations;
    std::uint64_t place = no_place; ///< of the level
};

bool decides_as(position left, position right) noexcept {
    const auto decision = [](position stack) {
        return stack == position::excluded ? position::outside : stack;
    };
    return decision(left) == decision(right);
}

class tree_builder {
public:
    tree_builder(const trace::context_tree& contexts, const place_lookup& find_place)
        : contexts_(contexts), find_place_(find_place) {}

    /// Effects: adds the rows of the node, and of all nodes that follow.
    void grow(std::span<path> paths, std::uint32_t node, unsigned depth) {
        for (path& stack : paths) {
            stack.place = place(stack.level);
        }
        std::ranges::sort(paths, {}, &path::place);
        while (!paths.empty()) {
            const std::uint64_t first = paths.front().place;
            const auto end =
                std::ranges::find_if(paths, [&](const path& stack) { return stack.place != first; });
            const std::span<path> group = paths.first(static_cast<std::size_t>(end - paths.begin()));
            paths = paths.subspan(group.size());
            add(group, node, depth);
        }
    }

    scope_rules tree;

private:
    void add(std::span<path> group, std::uint32_t node, unsigned depth) {
        scope_rules::row row;
        row.node = node;
        row.place = group.front().place;
        row.decision = group.front().decision;
        bool is_uniform = true;
        for (const path& stack : group) {
            row.allocations += stack.allocations;
            is_uniform = is_uniform && decides_as(stack.decision, row.decision);
            row.decision = std::max(row.decision, stack.decision);
        }
        const bool is_decidable =
            is_uniform ? row.decision != position::unknown : depth < scope_rules::most_levels;
        if (row.place == no_place || !is_decidable) {
            tree.undecided += row.allocations;
            return;
        }
        if (is_uniform) {
            tree.further_levels += row.allocations * (depth - 1);
            tree.rows.push_back(row);
            return;
        }
        row.next = ++nodes_;
        tree.rows.push_back(row);
        for (path& stack : group) {
            stack.level = contexts_.parent(stack.level);
        }
        grow(group, row.next, depth + 1);
    }

    std::uint64_t place(trace::context_id level) {
        const std::uint64_t address = level < trace::stack_ends ? 0 : contexts_.address(level);
        if (address == trace::context_tree::omitted_levels || (address & trace::interrupted_level) != 0) {
            return no_place;
        }
        const auto [entry, is_new] = places_.try_emplace(address);
        if (is_new) {
            entry->second = find_place_(address);
        }
        return entry->second;
    }

    const trace::context_tree& contexts_;
    const place_lookup& find_place_;
    std::unordered_map<std::uint64_t, std::uint64_t> places_;
    std::uint32_t nodes_ = 0;
};

/// Effects: drops the least frequent rows of a tree that is too large, and numbers the remaining nodes.
void prune(scope_rules& tree) {
    if (tree.rows.size() > scope_rules::most_rows) {
        std::ranges::stable_sort(tree.rows, std::ranges::greater{}, &scope_rules::row::allocations);
        for (const scope_rules::row& row : std::span(tree.rows).subspan(scope_rules::most_rows)) {
            tree.undecided += row.next == 0 ? row.allocations : 0;
        }
        tree.rows.resize(scope_rules::most_rows);
    }
    std::unordered_map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
    for (scope_rules::row& row : tree.rows) {
        row.node = numbers.at(row.node);
        if (row.next != 0) {
            row.next =
                numbers.try_emplace(row.next, static_cast<std::uint32_t>(numbers.size())).first->second;
        }
    }
}

} // namespace

scope_rules learn_rules(const trace::context_tree& contexts, std::span<const std::uint64_t> allocations,
                        std::span<const position> positions, const place_lookup& find_place) {
    std::vector<path> paths;
    tree_builder builder(contexts, find_place);
    for (std::size_t context = 0; context < allocations.size(); ++context) {
        if (allocations[context] != 0) {
            paths.push_back(
                {static_cast<trace::context_id>(context), positions[context], allocations[context]});
            builder.tree.allocations += allocations[context];
        }
    }
    builder.grow(paths, 0, 1);
    prune(builder.tree);
    builder.tree.further_levels += builder.tree.undecided * scope_rules::most_levels;
    return std::move(builder.tree);
}

} // namespace mallard::advisor

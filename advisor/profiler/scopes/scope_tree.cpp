#include "profiler/scopes/scope_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace mallard::advisor {

scope_tree::scope_tree(const trace::context_tree& tree, const function_lookup& find_function) : tree_(&tree) {
    facts_.reserve(tree.size());
    for (std::uint32_t end = 0; end < trace::stack_ends; ++end) {
        facts_.push_back(end << end_shift);
    }
    for (std::size_t node = facts_.size(); node < tree.size(); ++node) {
        const auto id = static_cast<trace::context_id>(node);
        const std::uint32_t end = facts_[tree[id].parent] & ~(inner | function_mask);
        facts_.push_back(end | function_at(id, find_function));
    }
    mark_inner();
    find_counting();
}

scope_id scope_tree::function_at(trace::context_id node, const function_lookup& find_function) {
    const scope_id function = find_function((*tree_)[node].address);
    if (function > function_mask) {
        throw std::length_error("a trace with 2^28 different functions");
    }
    functions_ = std::max(functions_, std::size_t{function} + 1);
    return function;
}

/// A walk over the tree in depth first order, with the number of open nodes of each function.
void scope_tree::mark_inner() {
    const trace::context_tree& tree = *tree_;
    // Children of a node stand one after the other: those of node n begin at children[begin[n]].
    std::vector<std::uint32_t> begin(tree.size() + 1);
    for (std::size_t node = trace::stack_ends; node < tree.size(); ++node) {
        ++begin[tree[static_cast<trace::context_id>(node)].parent + 1];
    }
    for (std::size_t node = 0; node < tree.size(); ++node) {
        begin[node + 1] += begin[node];
    }
    std::vector<trace::context_id> children(tree.size());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t node = trace::stack_ends; node < tree.size(); ++node) {
        children[next[tree[static_cast<trace::context_id>(node)].parent]++] =
            static_cast<trace::context_id>(node);
    }

    next.assign(begin.begin(), begin.end() - 1);
    std::vector<std::uint32_t> open(functions_);
    for (trace::context_id root = 0; root < trace::stack_ends; ++root) {
        trace::context_id node = root;
        for (;;) {
            if (next[node] != begin[node + 1]) {
                node = children[next[node]++];
                if (open[function(node)]++ != 0) {
                    facts_[node] |= inner;
                }
            } else if (node == root) {
                break;
            } else {
                --open[function(node)];
                node = tree[node].parent;
            }
        }
    }
}

/// Effects: finds the counting nodes of new nodes. Parents come before their children.
void scope_tree::find_counting() {
    counting_.reserve(facts_.size());
    while (counting_.size() < facts_.size()) {
        const auto node = static_cast<trace::context_id>(counting_.size());
        counting_.push_back(counts(node) ? node : counting_outside(node));
    }
}

void scope_tree::add_new(const function_lookup& find_function) {
    while (facts_.size() < tree_->size()) {
        const auto id = static_cast<trace::context_id>(facts_.size());
        trace::context_id outer = counting_outside(id);
        const std::uint32_t end = facts_[outer] & ~(inner | function_mask);
        const scope_id own = function_at(id, find_function);
        while (outer >= trace::stack_ends && function(outer) != own) {
            outer = counting_outside(outer);
        }
        facts_.push_back(end | own | (outer >= trace::stack_ends ? inner : 0));
        find_counting();
    }
}

} // namespace mallard::advisor

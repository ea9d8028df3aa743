/// The facts of each node of a context tree that the analysis needs: its function, and whether it counts.
///
/// Data model: a function for each address, a bit for each node, and for each run of the tree the innermost counting node
/// outside of it. Invariant: a node counts unless an outer node has its function, so that only the
/// outermost activation of a recursion counts. A stack of any depth has at most as many counting nodes as functions.
#pragma once

#include "profiler/scopes/scope_totals.hpp"
#include "trace/context_tree.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

namespace mallard::advisor {

/// Returns the number of the function at an address of a level. Numbers are small and without gaps.
using function_lookup = std::function<scope_id(std::uint64_t level)>;

class scope_tree {
public:
    /// Effects: adds all nodes.
    /// Requires: the tree outlives the object.
    /// Complexity: as add_new().
    scope_tree(const trace::context_tree& tree, const function_lookup& find_function) : tree_(&tree) {
        add_new(find_function);
    }

    /// Effects: adds the nodes that are new in the tree.
    /// Complexity: O(1) for each node, and for each run O(functions of the stack that it does not share with the last one).
    void add_new(const function_lookup& find_function);

    [[nodiscard]] const trace::context_tree& contexts() const noexcept { return *tree_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] scope_id function(trace::context_id node) const noexcept {
        return functions_by_address_[tree_->address_number(node)];
    }
    [[nodiscard]] bool counts(trace::context_id node) const noexcept {
        return (counts_[node / word_bits] >> node % word_bits & 1) != 0;
    }
    /// Returns: the innermost node that counts, from `node` outwards; the root if there is none.
    /// Complexity: O(1) for most nodes, O(levels of the run / 64).
    [[nodiscard]] trace::context_id counting(trace::context_id node) const noexcept {
        if (counts(node)) {
            return node;
        }
        const trace::run_id run = tree_->run(node);
        const trace::context_id first = tree_->first_node(run);
        std::uint64_t word =
            counts_[node / word_bits] & ~std::uint64_t{0} >> (word_bits - 1 - node % word_bits);
        trace::context_id begin = node - node % word_bits;
        while (word == 0 && begin > first) {
            begin -= word_bits;
            word = counts_[begin / word_bits];
        }
        const trace::context_id last = begin + static_cast<trace::context_id>(std::bit_width(word)) - 1;
        return word != 0 && last >= first ? last : outside_[run];
    }
    /// Returns: the innermost counting node outside of `node`.
    /// Requires: `node` is not a root.
    [[nodiscard]] trace::context_id counting_outside(trace::context_id node) const noexcept {
        return tree_->begins_run(node) ? outside_[tree_->run(node)] : counting(node - 1);
    }
    [[nodiscard]] trace::stack_end end(trace::context_id node) const noexcept {
        return tree_->root_end(node);
    }
    /// One more than the highest number of a function.
    [[nodiscard]] std::size_t functions() const noexcept { return functions_; }

private:
    static constexpr trace::context_id word_bits = 64;

    scope_id find_function_at(trace::context_id node, const function_lookup& find_function);
    void go_to(trace::context_id counting_node);

    const trace::context_tree* tree_;
    std::size_t size_ = 0;
    std::vector<scope_id> functions_by_address_; ///< no_scope if no node had the address yet
    trace::growing_array<std::uint64_t> counts_;
    trace::growing_array<trace::context_id> outside_; ///< by run
    std::size_t functions_ = 0;

    // The stack of the last added node.
    std::vector<bool> is_open_;               ///< by function
    std::vector<trace::context_id> counting_; ///< the outermost one first
    std::vector<trace::context_id> added_;
};

} // namespace mallard::advisor

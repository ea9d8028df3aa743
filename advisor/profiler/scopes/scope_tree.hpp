/// The facts of each node of a context tree that the analysis needs: its function, and whether it counts.
///
/// Data model: two words a node. Invariant: a node counts unless an outer node has its function, so that only the
/// outermost activation of a recursion counts. A stack of any depth has at most as many counting nodes as functions.
#pragma once

#include "profiler/scopes/scope_totals.hpp"
#include "trace/context_tree.hpp"

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
    /// Complexity: O(nodes).
    scope_tree(const trace::context_tree& tree, const function_lookup& find_function);

    /// Effects: adds the nodes that are new in the tree.
    /// Complexity: O(functions of the stack) for each.
    void add_new(const function_lookup& find_function);

    [[nodiscard]] const trace::context_tree& contexts() const noexcept { return *tree_; }
    [[nodiscard]] std::size_t size() const noexcept { return facts_.size(); }
    [[nodiscard]] scope_id function(trace::context_id node) const noexcept {
        return facts_[node] & function_mask;
    }
    [[nodiscard]] bool counts(trace::context_id node) const noexcept { return (facts_[node] & inner) == 0; }
    /// Returns: the innermost node that counts, from `node` outwards; the root if there is none.
    [[nodiscard]] trace::context_id counting(trace::context_id node) const noexcept {
        return counting_[node];
    }
    /// Returns: the innermost counting node outside of `node`.
    /// Requires: `node` is not a root.
    [[nodiscard]] trace::context_id counting_outside(trace::context_id node) const noexcept {
        return counting_[(*tree_)[node].parent];
    }
    [[nodiscard]] trace::stack_end end(trace::context_id node) const noexcept {
        return static_cast<trace::stack_end>(facts_[node] >> end_shift);
    }
    /// One more than the highest number of a function.
    [[nodiscard]] std::size_t functions() const noexcept { return functions_; }

private:
    static constexpr unsigned end_shift = 29;
    static constexpr std::uint32_t inner = std::uint32_t{1} << 28;
    static constexpr std::uint32_t function_mask = inner - 1;

    scope_id function_at(trace::context_id node, const function_lookup& find_function);
    void mark_inner();
    void find_counting();

    const trace::context_tree* tree_;
    std::vector<std::uint32_t> facts_;
    std::vector<trace::context_id> counting_;
    std::size_t functions_ = 0;
};

} // namespace mallard::advisor

/// The stacks of a process as a tree: each node is a call, whose parent is its caller.
///
/// Data model: nodes in an array, parents before children. The first `stack_ends` nodes have no address: each is the
/// root of the stacks with one kind of end (`stack_end`).
/// Invariant: no two children of a node have the same address.
#pragma once

#include "trace/event.hpp"
#include "trace/large_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::trace {

class context_tree {
public:
    struct node {
        std::uint64_t address =
            0; ///< a return address, perhaps with `interrupted_level`; `omitted_levels` for a gap
        context_id parent = 0;
        std::uint32_t depth = 0; ///< number of levels, including this one; 0 for a root
    };
    /// The address of a node that stands for levels omitted because the stack was too deep.
    static constexpr std::uint64_t omitted_levels = 0;

    context_tree();

    static constexpr context_id root(stack_end end) noexcept { return static_cast<context_id>(end); }

    /// Returns: the child of `parent` with that address, added if necessary.
    /// Throws: std::length_error if there are 2^32 nodes.
    /// Complexity: O(1) on average.
    context_id child(context_id parent, std::uint64_t address);

    /// Effects: adds a child to `parent`, without the search of child().
    /// Requires: `parent` has no child with that address.
    /// Complexity: O(1). A later child() pays for the search.
    context_id append(context_id parent, std::uint64_t address);

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    [[nodiscard]] const node& operator[](context_id context) const noexcept { return nodes_[context]; }
    /// Returns: the number of common levels of two stacks, from the outermost one.
    /// Complexity: O(levels that are not common).
    [[nodiscard]] std::uint32_t common_levels(context_id first, context_id second) const noexcept;
    /// Returns: the end of the stack.
    /// Complexity: O(depth).
    [[nodiscard]] stack_end root_end(context_id context) const noexcept;

private:
    void index_all();

    /// A node in the table, with bits of its hash, which distinguish most nodes without a look at them.
    struct entry {
        context_id node = 0; ///< 0 marks an empty place
        std::uint32_t tag = 0;
    };

    large_vector<node> nodes_;
    large_vector<entry> table_;        ///< open addressing by (parent, address)
    std::size_t indexed_ = stack_ends; ///< the nodes below are in the table
};

} // namespace mallard::trace

/// The nodes of the context tree that a report looks at: those of calls, and all nodes outside of these.
///
/// Data model: a bit for each node of the tree, so that figures by node are arrays of the nodes with a bit, and not of all.
/// A recording with contexts that share calls has few such nodes. Other recordings have all nodes, which are not many.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/scopes/scope_tree.hpp"
#include "trace/count_bits.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::advisor {

class call_nodes {
public:
    /// Complexity: O(nodes of the tree).
    call_nodes(const scope_tree& stacks, const call_table& calls);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Returns: the index of the node. Parents have lower indexes than their children; that of a root is the root.
    /// Requires: the node is that of a call, or outside of one, or a root.
    [[nodiscard]] std::size_t index(trace::context_id node) const noexcept {
        const word& at = words_[node / word_bits];
        return at.before + trace::count_bits(at.nodes & ((std::uint32_t{1} << node % word_bits) - 1));
    }

    /// Effects: calls `function` with each node but the roots, in the order of their indexes.
    template <typename Function>
    void for_each(Function&& function) const {
        for (std::size_t index = 0; index < words_.size(); ++index) {
            for (std::uint32_t nodes = words_[index].nodes; nodes != 0; nodes &= nodes - 1) {
                const auto node = static_cast<trace::context_id>(index * word_bits) +
                                  static_cast<trace::context_id>(std::countr_zero(nodes));
                if (node >= trace::stack_ends) {
                    function(node);
                }
            }
        }
    }

private:
    static constexpr trace::context_id word_bits = 32;

    struct word {
        std::uint32_t nodes = 0;
        std::uint32_t before = 0; ///< nodes in the words before
    };

    /// Returns: false if the node has a bit already.
    bool add(trace::context_id node) noexcept;

    std::vector<word> words_;
    std::size_t size_ = 0;
};

} // namespace mallard::advisor

/// The stack of a recorded thread at its last event, as nodes of the tree of contexts.
///
///     levels as recorded:  0 1 2 [ 3 ... 99,999 left out ] 100,000 100,001
///     nodes:               0 1 2   3                       4       5
///
/// Data model: the nodes from the outermost one, and the gaps among them. A gap is one node for many levels.
#pragma once

#include "trace/context_tree.hpp"

#include <vector>

namespace mallard::trace {

class thread_stack {
public:
    /// Effects: the stack is the levels [0, kept) of the stack before, and what add() brings. If no level is kept, `end`
    /// says how the stack ends.
    /// Returns: false, with no effect, if the stack before has fewer levels.
    bool begin(std::uint64_t kept, stack_end end);
    /// Effects: adds a level inside of the others.
    void add(std::uint64_t address, context_tree& tree);
    /// Effects: adds a gap of so many levels.
    /// Requires: levels > 0.
    void add_gap(std::uint64_t levels, context_tree& tree);

    [[nodiscard]] context_id context() const noexcept { return size_ == 0 ? root_ : nodes_[size_ - 1]; }
    [[nodiscard]] stack_end end() const noexcept { return static_cast<stack_end>(root_); }
    /// Nodes of the stack before that begin() kept.
    [[nodiscard]] std::uint32_t kept() const noexcept { return kept_; }
    /// Nodes, from the outermost one, that are the same as in the stack before, the kept ones included.
    [[nodiscard]] std::uint32_t equal() const noexcept { return equal_; }

private:
    struct gap {
        std::size_t node;
        std::uint64_t levels;
    };

    std::vector<context_id> nodes_; ///< the first `size_` ones; behind them may be some of the stack before
    std::size_t size_ = 0;
    std::size_t size_before_ = 0; ///< of the stack before
    std::vector<gap> gaps_;
    context_id root_ = 0;
    std::uint32_t kept_ = 0;
    std::uint32_t equal_ = 0;
    bool diverged_ = true; ///< from the stack before, at a level that was added
};

} // namespace mallard::trace

/// The stack of a recorded thread at its last event, as nodes of the context tree.
///
///     levels as recorded:  0 1 2 [ 3 ... 99,999 omitted ] 100,000 100,001
///     nodes:               0 1 2   3                       4       5
///
/// Data model: the nodes from the outermost one, and the gaps between them. A gap is one node for many levels.
#pragma once

#include "trace/context_tree.hpp"

#include <vector>

namespace mallard::trace {

class thread_stack {
public:
    /// Effects: begins a stack of the levels [0, kept) of the preceding stack, to which add() adds. `end` is the end of the
    /// stack if no level is kept.
    /// Returns: false, with no effect, if the preceding stack has fewer levels.
    bool begin(std::uint64_t kept, stack_end end);
    /// Effects: adds an inner level.
    void add(std::uint64_t address, context_tree& tree);
    /// Effects: adds a gap of `levels` levels.
    /// Requires: levels > 0.
    void add_gap(std::uint64_t levels, context_tree& tree);

    [[nodiscard]] context_id context() const noexcept { return size_ == 0 ? root_ : nodes_[size_ - 1]; }
    [[nodiscard]] stack_end end() const noexcept { return static_cast<stack_end>(root_); }
    /// Number of nodes of the preceding stack that begin() kept.
    [[nodiscard]] std::uint32_t kept() const noexcept { return kept_; }
    /// Number of outer nodes that equal those of the preceding stack, including the kept ones.
    [[nodiscard]] std::uint32_t equal() const noexcept { return equal_; }

private:
    struct gap {
        std::size_t node;
        std::uint64_t levels;
    };

    std::vector<context_id>
        nodes_; ///< the first `size_` ones; behind them may be nodes of the preceding stack
    std::size_t size_ = 0;
    std::size_t previous_size_ = 0; ///< of the preceding stack
    std::vector<gap> gaps_;
    context_id root_ = 0;
    std::uint32_t kept_ = 0;
    std::uint32_t equal_ = 0;
    bool diverged_ = true; ///< from the preceding stack, at an added level
};

} // namespace mallard::trace

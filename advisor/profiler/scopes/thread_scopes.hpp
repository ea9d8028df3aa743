/// The stack of a thread, level by level, and the scopes that are open in it.
///
///     level      0       1       2       3
///     function   main    parse   parse   make
///     scope      main    parse           make     the inner call of a recursion opens none
///
/// Data model: the levels of the last stack that was followed, the outermost first; each stores the number of scopes open up
/// to it. Invariant: the node of a level is the parent of the next level's node.
#pragma once

#include "profiler/scopes/open_scopes.hpp"
#include "profiler/scopes/scope_tree.hpp"

#include <cstdint>
#include <vector>

namespace mallard::advisor {

class thread_scopes {
public:
    /// Effects: moves the thread's stack to `context`. The outermost `kept` levels are unchanged calls; a function
    /// at the next level of both stacks continues; all other activations end, and new ones begin. `totals` has an
    /// element for each function.
    /// Complexity: O(levels that are added or removed).
    void follow(const scope_tree& tree, trace::context_id context, std::uint32_t kept, std::uint64_t number,
                std::uint64_t ticks, std::vector<scope_totals>& totals);

    /// Effects: notes that events of the thread are missing. Each call that the next stack shares with the last
    /// one may be a different call, which counts as a step back.
    void skip_events() noexcept { skipped_ = true; }

    /// Returns: the levels that the context has in common with the last one.
    /// Complexity: O(depth).
    [[nodiscard]] std::uint32_t common_levels(const scope_tree& tree,
                                              trace::context_id context) const noexcept;

    /// The last context that was followed.
    [[nodiscard]] trace::context_id context() const noexcept { return context_; }

    open_scopes scopes;

private:
    /// Effects: notes that the call at the level may be a different one. So may be the calls that it is inlined into, up to
    /// the compiled function, which has the same return address.
    void count_step_back(const trace::context_tree& contexts, std::size_t index,
                         std::vector<scope_totals>& totals) const noexcept;
    /// Returns: false for the inner call of a recursion.
    [[nodiscard]] bool opens_scope(std::size_t index) const noexcept;

    struct level {
        trace::context_id node = 0;
        scope_id function = 0;
        std::uint32_t scopes = 0; ///< open up to this level
    };

    std::vector<level> levels_;
    std::vector<trace::context_id> path_; ///< new nodes, the innermost first
    trace::context_id context_ = 0;
    bool skipped_ = false; ///< since the last stack
};

} // namespace mallard::advisor

/// The stack of a thread, level by level, and the scopes that are open in it.
///
///     level      0       1       2       3
///     function   main    parse   parse   make
///     scope      main    parse           make     the inner call of a recursion opens none
///
/// Data model: the levels of the last stack that was followed, the outermost first; each knows how many scopes are open up
/// to it. Invariant: the node of a level is the parent of the next level's node.
#pragma once

#include "advisor/scopes/open_scopes.hpp"
#include "advisor/scopes/scope_tree.hpp"

#include <cstdint>
#include <vector>

namespace mallard::advisor {

class thread_scopes {
public:
    /// Effects: the thread's stack is `context` now. The outermost `kept` levels are the same calls as before; a function that
    /// stands at the next level before and after goes on; all others end, and new ones begin. `totals` has an element for
    /// each function.
    /// Complexity: O(levels that are new or gone).
    void follow(const scope_tree& tree, trace::context_id context, std::uint32_t kept, std::uint64_t number,
                std::uint64_t ticks, std::vector<scope_totals>& totals);

    /// Effects: events of the thread were left out here. Each call that the next stack has in common may have been another one
    /// before, which counts as a step back.
    void leave_out() noexcept { left_out_ = true; }

    /// Returns: the levels that the context has in common with the last one.
    /// Complexity: O(depth).
    [[nodiscard]] std::uint32_t common_levels(const scope_tree& tree,
                                              trace::context_id context) const noexcept;

    /// The last context that was followed.
    [[nodiscard]] trace::context_id context() const noexcept { return context_; }

    open_scopes scopes;

private:
    /// Returns: false for the inner call of a recursion.
    [[nodiscard]] bool opens_scope(std::size_t which) const noexcept;

    struct level {
        trace::context_id node = 0;
        scope_id function = 0;
        std::uint32_t scopes = 0; ///< open up to this level
    };

    std::vector<level> levels_;
    std::vector<trace::context_id> path_; ///< new nodes, the innermost first
    trace::context_id context_ = 0;
    bool left_out_ = false; ///< since the last stack
};

} // namespace mallard::advisor

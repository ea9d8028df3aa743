#include "advisor/scopes/thread_scopes.hpp"

#include <algorithm>

namespace mallard::advisor {

void thread_scopes::follow(const scope_tree& tree, trace::context_id context, std::uint32_t kept,
                           std::uint64_t number, std::uint64_t ticks, std::vector<scope_totals>& totals) {
    const trace::context_tree& contexts = tree.contexts();
    const std::uint32_t depth = contexts[context].depth;
    std::size_t keep = std::min({std::size_t{kept}, levels_.size(), std::size_t{depth}});
    path_.clear();
    trace::context_id node = context;
    for (std::size_t left = depth; left > keep; --left) {
        path_.push_back(node);
        node = contexts[node].parent;
    }
    // A damaged trace may name levels as kept that are others.
    while (keep > 0 && levels_[keep - 1].node != node) {
        path_.push_back(node);
        node = contexts[node].parent;
        --keep;
    }
    context_ = context;

    if (path_.empty() && keep == levels_.size()) {
        // The same stack again: the innermost function was called once more, or has a loop.
        if (keep != 0 && levels_.back().scopes != (keep > 1 ? levels_[keep - 2].scopes : 0)) {
            ++totals[levels_.back().function].steps_back;
        }
        return;
    }
    if (!path_.empty() && keep < levels_.size() && levels_[keep].function == tree.function(path_.back())) {
        level& moved = levels_[keep];
        const bool is_counted = moved.scopes != (keep > 0 ? levels_[keep - 1].scopes : 0);
        if (is_counted && contexts[path_.back()].address <= contexts[moved.node].address) {
            ++totals[moved.function].steps_back;
        }
        moved.node = path_.back();
        path_.pop_back();
        ++keep;
    }
    std::uint32_t open = keep > 0 ? levels_[keep - 1].scopes : 0;
    scopes.close(open, ticks, totals);
    levels_.resize(keep);
    for (auto at = path_.rbegin(); at != path_.rend(); ++at) {
        const scope_id function = tree.function(*at);
        if (tree.counts(*at)) {
            scopes.open(function, number, ticks);
            ++open;
        }
        levels_.push_back({*at, function, open});
    }
}

std::uint32_t thread_scopes::common_levels(const scope_tree& tree, trace::context_id context) const noexcept {
    const trace::context_tree& contexts = tree.contexts();
    trace::context_id node = context;
    while (contexts[node].depth > levels_.size()) {
        node = contexts[node].parent;
    }
    while (contexts[node].depth > 0 && levels_[contexts[node].depth - 1].node != node) {
        node = contexts[node].parent;
    }
    return contexts[node].depth;
}

} // namespace mallard::advisor

#include "profiler/scopes/thread_scopes.hpp"

#include "profiler/scopes/inlined_stacks.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace mallard::advisor {

void thread_scopes::follow(const scope_tree& tree, trace::context_id context, std::uint32_t kept,
                           std::uint64_t number, std::uint64_t ticks, std::vector<scope_totals>& totals) {
    const trace::context_tree& contexts = tree.contexts();
    const std::uint32_t depth = contexts.depth(context);
    std::size_t keep = std::min({std::size_t{kept}, levels_.size(), std::size_t{depth}});
    path_.clear();
    trace::context_id node = context;
    for (std::size_t remaining = depth; remaining > keep; --remaining) {
        path_.push_back(node);
        node = contexts.parent(node);
    }
    // A damaged trace may report changed levels as kept.
    while (keep > 0 && levels_[keep - 1].node != node) {
        path_.push_back(node);
        node = contexts.parent(node);
        --keep;
    }
    context_ = context;
    const bool skipped = std::exchange(skipped_, false);

    if (path_.empty() && keep == levels_.size()) {
        // The stack is unchanged: the innermost function was called again, or has a loop.
        if (skipped) {
            scopes.count_steps_back(totals);
        } else if (keep != 0) {
            count_step_back(contexts, keep - 1, totals);
        }
        return;
    }
    if (!path_.empty() && keep < levels_.size() && levels_[keep].function == tree.function(path_.back())) {
        // The return address is that of the next level that calls no inlined function.
        std::size_t former = keep;
        while (former + 1 < levels_.size() && calls_inlined(contexts.address(levels_[former].node))) {
            ++former;
        }
        std::size_t moved = path_.size() - 1;
        while (moved > 0 && calls_inlined(contexts.address(path_[moved]))) {
            --moved;
        }
        if (!skipped && recorded_level(contexts.address(path_[moved])) <=
                            recorded_level(contexts.address(levels_[former].node))) {
            count_step_back(contexts, keep, totals);
        }
        levels_[keep].node = path_.back();
        path_.pop_back();
        ++keep;
    }
    std::uint32_t open = keep > 0 ? levels_[keep - 1].scopes : 0;
    scopes.close(open, ticks, totals);
    if (skipped) {
        scopes.count_steps_back(totals);
    }
    levels_.resize(keep);
    for (const trace::context_id added : path_ | std::views::reverse) {
        const scope_id function = tree.function(added);
        if (tree.counts(added)) {
            scopes.open(function, number, ticks);
            ++open;
        }
        levels_.push_back({added, function, open});
    }
}

void thread_scopes::count_step_back(const trace::context_tree& contexts, std::size_t index,
                                    std::vector<scope_totals>& totals) const noexcept {
    const auto count = [&](std::size_t at) {
        if (opens_scope(at)) {
            ++totals[levels_[at].function].steps_back;
        }
    };
    count(index);
    for (; index > 0 && calls_inlined(contexts.address(levels_[index - 1].node)); --index) {
        count(index - 1);
    }
}

bool thread_scopes::opens_scope(std::size_t index) const noexcept {
    return levels_[index].scopes != (index > 0 ? levels_[index - 1].scopes : 0);
}

std::uint32_t thread_scopes::common_levels(const scope_tree& tree, trace::context_id context) const noexcept {
    const trace::context_tree& contexts = tree.contexts();
    trace::context_id node = context;
    while (contexts.depth(node) > levels_.size()) {
        node = contexts.parent(node);
    }
    while (contexts.depth(node) > 0 && levels_[contexts.depth(node) - 1].node != node) {
        node = contexts.parent(node);
    }
    return contexts.depth(node);
}

} // namespace mallard::advisor

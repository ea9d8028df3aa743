#include "trace/chunk/thread_stack.hpp"

#include <algorithm>

namespace mallard::trace {

bool thread_stack::begin(std::uint64_t kept, stack_end end) {
    std::uint64_t levels_in_gaps = 0;
    std::size_t gaps = 0;
    for (; gaps < gaps_.size(); ++gaps) {
        const gap& current = gaps_[gaps];
        const std::uint64_t first_level = current.node + levels_in_gaps;
        if (kept <= first_level) {
            break;
        }
        levels_in_gaps += std::min(current.levels, kept - first_level) - 1;
    }
    const std::uint64_t nodes = kept - levels_in_gaps;
    if (nodes > size_) {
        return false;
    }
    if (gaps != 0 && gaps_[gaps - 1].node + 1 == nodes) {
        // The innermost kept level is within a gap, whose inner levels were dropped.
        std::uint64_t outside = gaps_[gaps - 1].node;
        for (std::size_t index = 0; index + 1 < gaps; ++index) {
            outside += gaps_[index].levels - 1;
        }
        gaps_[gaps - 1].levels = kept - outside;
    }
    gaps_.resize(gaps);
    const context_id previous_root = root_;
    if (kept == 0) {
        root_ = context_tree::root(end);
    }
    previous_size_ = size_;
    size_ = static_cast<std::size_t>(nodes);
    kept_ = equal_ = static_cast<std::uint32_t>(nodes);
    diverged_ = root_ != previous_root;
    return true;
}

void thread_stack::add_gap(std::uint64_t levels, context_tree& tree) {
    gaps_.push_back({size_, levels});
    add(context_tree::omitted_levels, tree);
}

void thread_stack::add(std::uint64_t address, context_tree& tree) {
    if (!diverged_ && size_ < previous_size_ && tree[nodes_[size_]].address == address) {
        ++size_;
        ++equal_;
        return;
    }
    diverged_ = true;
    const context_id node = tree.child(context(), address);
    if (size_ == nodes_.size()) {
        nodes_.push_back(node);
    } else {
        nodes_[size_] = node;
    }
    ++size_;
}

} // namespace mallard::trace

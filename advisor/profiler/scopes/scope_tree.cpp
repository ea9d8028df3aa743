#include "profiler/scopes/scope_tree.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace mallard::advisor {

scope_id scope_tree::find_function_at(trace::context_id node, const function_lookup& find_function) {
    scope_id& known = functions_by_address_[tree_->address_number(node)];
    if (known == no_scope) {
        constexpr scope_id most_functions = scope_id{1} << 28;
        known = find_function(tree_->address(node));
        if (known >= most_functions) {
            throw std::length_error("a trace with 2^28 different functions");
        }
        functions_ = std::max(functions_, std::size_t{known} + 1);
        is_open_.resize(functions_);
    }
    return known;
}

/// Effects: opens the functions of a stack, by its innermost counting node, and closes those of the last stack. Their common
/// nodes are known by their numbers: parents come before their children.
void scope_tree::go_to(trace::context_id counting_node) {
    const auto close_inside = [this](trace::context_id node) {
        while (!counting_.empty() && counting_.back() > node) {
            is_open_[function(counting_.back())] = false;
            counting_.pop_back();
        }
    };
    close_inside(counting_node);
    added_.clear();
    while (counting_node >= trace::stack_ends && (counting_.empty() || counting_.back() != counting_node)) {
        added_.push_back(counting_node);
        counting_node = counting_outside(counting_node);
        close_inside(counting_node);
    }
    for (const trace::context_id node : added_ | std::views::reverse) {
        is_open_[function(node)] = true;
        counting_.push_back(node);
    }
}

void scope_tree::add_new(const function_lookup& find_function) {
    functions_by_address_.resize(tree_->addresses(), no_scope);
    functions_by_address_[0] = 0;
    for (; size_ < tree_->size(); ++size_) {
        const auto node = static_cast<trace::context_id>(size_);
        if (node % word_bits == 0) {
            counts_.push_back(0);
        }
        if (node < trace::stack_ends) {
            outside_.push_back(node);
            counts_.back() |= std::uint64_t{1} << node;
            continue;
        }
        if (tree_->begins_run(node)) {
            const trace::context_id outside = counting(tree_->parent(node));
            outside_.push_back(outside);
            go_to(outside);
        }
        const scope_id own = find_function_at(node, find_function);
        if (!is_open_[own]) {
            is_open_[own] = true;
            counting_.push_back(node);
            counts_.back() |= std::uint64_t{1} << node % word_bits;
        }
    }
}

} // namespace mallard::advisor

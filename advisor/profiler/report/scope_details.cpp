#include "profiler/report/scope_details.hpp"

#include <algorithm>

namespace mallard::advisor {

bool call_sites::is_library(scope_id function) {
    answer& known = is_library_[function];
    if (known == unknown) {
        known = names_->is_library(function) ? yes : no;
    }
    return known == yes;
}

trace::context_id call_sites::own_level(trace::context_id node) {
    const trace::context_tree& contexts = stacks_->contexts();
    while (is_library(stacks_->function(node))) {
        const trace::context_id outside = contexts.parent(node);
        if (outside < trace::stack_ends || !calls_inlined(contexts.address(outside))) {
            break;
        }
        node = outside;
    }
    return node;
}

trace::context_id call_sites::node(call_id call) {
    const trace::context_tree& contexts = stacks_->contexts();
    const trace::context_id context = calls_->all()[call].context;
    const auto outside = [this](trace::context_id at) -> trace::context_id& {
        return outside_[nodes_.index(at)];
    };
    trace::context_id node = context;
    while (node >= trace::stack_ends && outside(node) == unresolved) {
        const trace::context_id level = own_level(node);
        if (!is_library(stacks_->function(level))) {
            break;
        }
        node = contexts.parent(level);
    }
    const trace::context_id site = outside(node) == unresolved ? node : outside(node);
    for (trace::context_id inner = context; inner != node; inner = contexts.parent(inner)) {
        outside(inner) = site;
    }
    outside(node) = site;
    return site >= trace::stack_ends ? site : context;
}

scope_id call_sites::function(trace::context_id node) {
    return stacks_->function(own_level(node));
}

scope_details::scope_details(const analysis& results, call_sites& sites, const std::vector<scope_id>& chosen)
    : place_(results.scopes().size()) {
    for (const scope_id function : chosen) {
        all_.emplace_back().function = function;
        place_[function] = static_cast<std::uint32_t>(all_.size());
    }
    add_calls(results, sites);
    add_escapes(results, sites);
}

void scope_details::add_calls(const analysis& results, call_sites& sites) {
    const scope_tree& stacks = results.stacks();
    const auto visit_scopes = [&](trace::context_id node, const auto& visit) {
        if (!trace::is_complete(stacks.end(node))) {
            return;
        }
        for (node = stacks.counting(node); node >= trace::stack_ends; node = stacks.counting_outside(node)) {
            if (const std::uint32_t place = place_[stacks.function(node)]; place != 0) {
                visit(all_[place - 1]);
            }
        }
    };
    const std::span<const call_totals> calls = results.calls().all();
    for (std::size_t index = 0; index < calls.size(); ++index) {
        const call_totals& call = calls[index];
        const block_count alive{call.allocations - call.freed, call.bytes - call.freed_bytes};
        const std::uint64_t site = alive.allocations != 0 ? sites.address(static_cast<call_id>(index)) : 0;
        visit_scopes(call.context, [&](scope_detail& scope) {
            scope.sums.add(call);
            if (alive.allocations != 0) {
                scope.alive_sites[site].add(alive.allocations, alive.bytes);
            }
        });
    }
    for (const call_table::class_totals& call_class : results.calls().further_classes()) {
        visit_scopes(calls[call_class.call].context,
                     [&](scope_detail& scope) { scope.sums.add(call_class); });
    }
}

void scope_details::add_escapes(const analysis& results, call_sites& sites) {
    const scope_tree& stacks = results.stacks();
    const std::span<const call_totals> calls = results.calls().all();
    for (const pair_totals& pair : results.pairs().all()) {
        trace::context_id node = calls[pair.allocated].context;
        if (!trace::is_complete(stacks.end(node))) {
            continue;
        }
        const std::uint64_t site = sites.address(pair.allocated);
        escape_key key{0, no_scope, pair.container, pair.elsewhere};
        if (pair.freed != no_call) {
            const trace::context_id by = sites.node(pair.freed);
            if (by >= trace::stack_ends) {
                key = {sites.return_address(by), sites.function(by), pair.container, pair.elsewhere};
            }
        }
        for (node = stacks.counting(node); node >= trace::stack_ends; node = stacks.counting_outside(node)) {
            if (stacks.function(node) == pair.container) {
                break;
            }
            const std::uint32_t place = place_[stacks.function(node)];
            if (place == 0) {
                continue;
            }
            scope_detail& scope = all_[place - 1];
            escape_sums& sums = scope.escapes[key];
            sums.blocks.add(pair.blocks, pair.bytes);
            if (pair.blocks > sums.most) {
                sums.most = pair.blocks;
                sums.example = pair.freed;
            }
            scope.escape_sites[site].add(pair.blocks, pair.bytes);
        }
    }
}

std::vector<scope_id> allocating_scopes(const std::vector<scope_totals>& scopes) {
    std::vector<scope_id> all;
    for (std::size_t function = 0; function < scopes.size(); ++function) {
        if (scopes[function].allocating != 0) {
            all.push_back(static_cast<scope_id>(function));
        }
    }
    std::ranges::stable_sort(
        all, [&](scope_id left, scope_id right) { return scopes[left].owned > scopes[right].owned; });
    return all;
}

std::vector<scope_id> heaviest_scopes(const std::vector<scope_totals>& scopes) {
    std::vector<scope_id> all = allocating_scopes(scopes);
    std::vector<bool> is_chosen(scopes.size());
    const auto choose = [&](std::size_t most, std::uint64_t scope_totals::* weight) {
        std::ranges::stable_sort(
            all, [&](scope_id left, scope_id right) { return scopes[left].*weight > scopes[right].*weight; });
        for (std::size_t at = 0; at < std::min(most, all.size()); ++at) {
            is_chosen[all[at]] = true;
        }
    };
    choose(40, &scope_totals::bytes);
    choose(40, &scope_totals::contained);
    choose(20, &scope_totals::owned_bytes);
    choose(80, &scope_totals::owned);
    std::erase_if(all, [&](scope_id function) { return !is_chosen[function]; });
    return all;
}

} // namespace mallard::advisor

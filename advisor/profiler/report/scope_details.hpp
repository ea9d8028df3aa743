/// The sites of calls, and the figures of chosen scopes that follow from the tree of contexts: sums over the
/// calls inside, and the escaping blocks.
///
/// Data model: an element for each chosen function. A call counts for each function of its stack, once.
#pragma once

#include "profiler/analysis/analysis.hpp"
#include "profiler/blocks/call_table.hpp"
#include "profiler/report/call_nodes.hpp"
#include "profiler/report/code_names.hpp"
#include "profiler/report/figures.hpp"
#include "profiler/scopes/inlined_stacks.hpp"
#include "profiler/scopes/scope_tree.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace mallard::advisor {

/// The site of each call: the innermost return address of its stack that has a function outside of libraries, compiled or
/// inlined.
///
/// Data model: for the innermost node of each return address the one of its site, computed at the first lookup together with
/// the nodes on the path to it: a recursion of a library's functions is walked once, and not for each of its levels.
class call_sites {
public:
    /// Requires: all arguments outlive the object.
    call_sites(code_names& names, const scope_tree& stacks, const call_table& calls)
        : names_(&names), stacks_(&stacks), calls_(&calls), nodes_(stacks, calls),
          outside_(nodes_.size(), unresolved), is_library_(stacks.functions(), unknown) {}

    /// Returns: the innermost node of the site's return address; that of the stack if all levels are in libraries; a root for
    /// an empty stack.
    trace::context_id node(call_id call);

    /// Returns: the function of the site.
    /// Requires: `node` is a result of node(), and not a root.
    scope_id function(trace::context_id node);

    /// Returns: the return address of the site, as recorded: equal for all stacks that lead to it.
    [[nodiscard]] std::uint64_t return_address(trace::context_id node) const noexcept {
        return recorded_level(stacks_->contexts().address(node));
    }
    std::uint64_t address(call_id call) { return return_address(node(call)); }

    bool is_library(scope_id function);

    [[nodiscard]] const call_nodes& nodes() const noexcept { return nodes_; }

private:
    /// Returns: the innermost node from `node` outwards, at the same return address, whose function is outside of libraries;
    /// else the node of the compiled function.
    trace::context_id own_level(trace::context_id node);

    static constexpr trace::context_id unresolved = 0xffff'ffff;
    enum answer : std::uint8_t { unknown, no, yes };

    code_names* names_;
    const scope_tree* stacks_;
    const call_table* calls_;
    call_nodes nodes_;
    std::vector<trace::context_id>
        outside_; ///< by index of a node: its site; a root if all levels are in libraries
    std::vector<answer> is_library_;
};

struct escape_key {
    std::uint64_t at = 0;     ///< address of the freeing level; 0 if unknown
    scope_id by = no_scope;   ///< its function
    scope_id into = no_scope; ///< the innermost function that contains the blocks
    bool elsewhere = false;

    friend auto operator<=>(const escape_key&, const escape_key&) noexcept = default;
};

struct escape_sums {
    block_count blocks;
    std::uint64_t most = 0;    ///< blocks of the heaviest call
    call_id example = no_call; ///< the heaviest call
};

struct scope_detail {
    scope_id function = 0;
    figure_sums sums;
    std::map<escape_key, escape_sums> escapes;
    std::map<std::uint64_t, block_count> escape_sites; ///< by address of the site
    std::map<std::uint64_t, block_count> alive_sites;  ///< of blocks that are alive at the end
};

class scope_details {
public:
    /// Complexity: O(depth) for each call and each pair that the analysis has.
    scope_details(const analysis& results, call_sites& sites, const std::vector<scope_id>& chosen);

    /// In the order of `chosen`.
    [[nodiscard]] const std::vector<scope_detail>& all() const noexcept { return all_; }

private:
    void add_calls(const analysis& results, call_sites& sites);
    void add_escapes(const analysis& results, call_sites& sites);

    std::vector<scope_detail> all_;
    std::vector<std::uint32_t>
        place_; ///< by function: one more than the index in `all_`; 0 if it is not chosen
};

/// Returns: the functions with an activation that allocates, ordered by owned allocations.
std::vector<scope_id> allocating_scopes(const std::vector<scope_totals>& scopes);

/// Returns: the heaviest of these functions, ordered by owned allocations. At most about 180.
std::vector<scope_id> heaviest_scopes(const std::vector<scope_totals>& scopes);

} // namespace mallard::advisor

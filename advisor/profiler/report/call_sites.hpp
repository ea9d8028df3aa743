/// The site of each call: the innermost level of its stack outside of libraries.
///
/// Data model: a node for each context, computed at the first lookup together with the contexts on the path to it: a
/// recursion of a library's functions is walked once, and not for each of its levels.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/report/code_names.hpp"
#include "profiler/scopes/scope_tree.hpp"

#include <cstdint>
#include <vector>

namespace mallard::advisor {

class call_sites {
public:
    /// Requires: all arguments outlive the object.
    call_sites(code_names& names, const scope_tree& stacks, const call_table& calls)
        : names_(&names), stacks_(&stacks), calls_(&calls), outside_(stacks.size(), unresolved),
          is_library_(stacks.functions(), unknown) {}

    /// Returns: the node of the site's level; the innermost node if all levels are in libraries; a root for an empty
    /// stack.
    trace::context_id node(call_id call);

    /// Returns: the address of the site, equal for all stacks that lead to it.
    std::uint64_t address(call_id call) { return stacks_->contexts()[node(call)].address; }

    bool is_library(scope_id function);

private:
    static constexpr trace::context_id unresolved = 0xffff'ffff;
    enum answer : std::uint8_t { unknown, no, yes };

    code_names* names_;
    const scope_tree* stacks_;
    const call_table* calls_;
    std::vector<trace::context_id>
        outside_; ///< the site of each context; a root if all levels are in libraries
    std::vector<answer> is_library_;
};

} // namespace mallard::advisor

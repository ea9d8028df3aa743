/// The site of each call: the innermost level of its stack that is not in a library.
///
/// Data model: a node for each context, found when a call asks for it, and for the contexts on the way there: a recursion of
/// a library's functions is walked once, and not for each of its levels.
#pragma once

#include "advisor/blocks/call_table.hpp"
#include "advisor/report/code_names.hpp"
#include "advisor/scopes/scope_tree.hpp"

#include <cstdint>
#include <vector>

namespace mallard::advisor {

class call_sites {
public:
    /// Requires: all arguments stay.
    call_sites(code_names& names, const scope_tree& stacks, const call_table& calls)
        : names_(&names), stacks_(&stacks), calls_(&calls), outside_(stacks.size(), not_asked),
          is_library_(stacks.functions(), unknown) {}

    /// Returns: the node of the site's level; the innermost one if all are in libraries; a root for an empty stack.
    trace::context_id node(call_id call);

    /// Returns: the site's address, the same for all stacks that lead there.
    std::uint64_t address(call_id call) { return stacks_->contexts()[node(call)].address; }

    bool is_library(scope_id function);

private:
    static constexpr trace::context_id not_asked = 0xffff'ffff;
    enum answer : std::uint8_t { unknown, no, yes };

    code_names* names_;
    const scope_tree* stacks_;
    const call_table* calls_;
    std::vector<trace::context_id>
        outside_; ///< of libraries, the innermost one; a root if all are in libraries
    std::vector<answer> is_library_;
};

} // namespace mallard::advisor

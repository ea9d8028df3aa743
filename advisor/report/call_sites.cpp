#include "advisor/report/call_sites.hpp"

namespace mallard::advisor {

bool call_sites::is_library(scope_id function) {
    answer& known = is_library_[function];
    if (known == unknown) {
        known = names_->is_library(function) ? yes : no;
    }
    return known == yes;
}

trace::context_id call_sites::node(call_id call) {
    trace::context_id& found = node_of_call_[call];
    if (found != not_asked) {
        return found;
    }
    const trace::context_id context = calls_->all()[call].context;
    trace::context_id node = context;
    while (node >= trace::stack_ends && is_library(stacks_->function(node))) {
        node = stacks_->contexts()[node].parent;
    }
    found = node >= trace::stack_ends ? node : context;
    return found;
}

} // namespace mallard::advisor

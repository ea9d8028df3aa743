#include "profiler/report/call_sites.hpp"

namespace mallard::advisor {

bool call_sites::is_library(scope_id function) {
    answer& known = is_library_[function];
    if (known == unknown) {
        known = names_->is_library(function) ? yes : no;
    }
    return known == yes;
}

trace::context_id call_sites::node(call_id call) {
    const trace::context_tree& contexts = stacks_->contexts();
    const trace::context_id context = calls_->all()[call].context;
    trace::context_id node = context;
    while (node >= trace::stack_ends && outside_[node] == unresolved && is_library(stacks_->function(node))) {
        node = contexts[node].parent;
    }
    const trace::context_id site = outside_[node] == unresolved ? node : outside_[node];
    for (trace::context_id inner = context; inner != node; inner = contexts[inner].parent) {
        outside_[inner] = site;
    }
    outside_[node] = site;
    return site >= trace::stack_ends ? site : context;
}

} // namespace mallard::advisor

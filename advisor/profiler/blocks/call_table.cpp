#include "profiler/blocks/call_table.hpp"

namespace mallard::advisor {

namespace {

std::size_t first_choice(call_id call, std::uint32_t size_class, std::size_t places) noexcept {
    const std::uint64_t key = std::uint64_t{call} << 16 | size_class;
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 32) & (places - 1);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
    hash = (hash ^ value) * 0xff51afd7ed558ccdU;
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15U;
}

/// Returns: a hash of the innermost `most` levels.
std::uint64_t innermost_hash(const trace::context_tree& contexts, trace::context_id node,
                             unsigned most) noexcept {
    std::uint64_t hash = most;
    for (; most != 0 && node >= trace::stack_ends; --most, node = contexts.parent(node)) {
        hash = mixed(hash, contexts.address(node));
    }
    return hash;
}

/// Returns: a hash of the end of the stack, and of the counting functions from `node` outwards.
std::uint64_t functions_hash(const scope_tree& stacks, trace::context_id node, std::uint64_t hash) noexcept {
    hash = mixed(hash, static_cast<std::uint64_t>(stacks.end(node)));
    for (node = stacks.counting(node); node >= trace::stack_ends; node = stacks.counting_outside(node)) {
        hash = mixed(hash, stacks.function(node));
    }
    return hash;
}

} // namespace

/// Of 2^20 keys of 64 bits, two are equal by chance in one of 30 million recordings.
call_id call_table::find_or_add_shared(trace::context_id context) {
    // An allocation passes through a few levels of a container before it comes to the line that is its site.
    constexpr unsigned site_levels = 6;
    const trace::context_tree& contexts = stacks_->contexts();
    std::uint64_t key = functions_hash(*stacks_, context, innermost_hash(contexts, context, site_levels));
    if (calls_.size() >= 2 * most_calls_ && !shared_.contains(key)) {
        key = mixed(innermost_hash(contexts, context, 1), static_cast<std::uint64_t>(stacks_->end(context)));
    }
    const auto [entry, is_new] = shared_.try_emplace(key, no_call);
    if (is_new) {
        entry->second = add(context);
    } else {
        ++shared_contexts_;
    }
    return entry->second;
}

call_table::class_totals& call_table::find_or_add_class(call_id call, std::uint32_t size_class) {
    if (classes_.size() * 2 >= places_.size()) {
        grow();
    }
    std::size_t at = first_choice(call, size_class, places_.size());
    while (places_[at] != 0) {
        class_totals& entry = classes_[places_[at] - 1];
        if (entry.call == call && entry.size_class == size_class) {
            return entry;
        }
        at = (at + 1) & (places_.size() - 1);
    }
    classes_.push_back({.call = call, .size_class = size_class});
    places_[at] = static_cast<std::uint32_t>(classes_.size());
    return classes_.back();
}

void call_table::grow() {
    places_.assign(places_.empty() ? 1024 : places_.size() * 2, 0);
    for (std::size_t index = 0; index < classes_.size(); ++index) {
        std::size_t at = first_choice(classes_[index].call, classes_[index].size_class, places_.size());
        while (places_[at] != 0) {
            at = (at + 1) & (places_.size() - 1);
        }
        places_[at] = static_cast<std::uint32_t>(index + 1);
    }
}

} // namespace mallard::advisor

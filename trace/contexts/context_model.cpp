#include "trace/contexts/context_model.hpp"

namespace mallard::trace {

namespace {

constexpr std::uint32_t places_of_table = 1U << 15;

constexpr std::uint32_t mixed(std::uint32_t one, std::uint32_t two, std::uint32_t three) noexcept {
    const std::uint32_t mixed = ((one * 0x9e3779b1U ^ two) * 0x85ebca6bU ^ three) * 0xc2b2ae35U;
    return mixed >> 17;
}

} // namespace

context_model::context_model()
    : addresses_(1), first_links_(1), links_(1), ends_(1), ups_(places_of_table),
      address_of_node_(stack_ends), last_child_(stack_ends) {
    for (auto& each : tables_) {
        each.resize(places_of_table);
    }
}

void context_model::ask(const context_tree& tree, context_id parent) {
    parent_ = parent;
    const address_id inner = address_of_node_[parent];
    const address_id outer = address_of_node_[tree[parent].parent];
    const address_id sibling = last_child_[parent];
    places_ = {mixed(inner, outer, sibling), mixed(inner, 0, sibling), mixed(inner, 0, 0)};
}

std::uint32_t context_model::up_place() const noexcept {
    return mixed(address_of_node_.back(), address_of_node_[parent_], 1);
}

address_id context_model::ranked(std::uint64_t rank) const noexcept {
    std::uint32_t at = first_links_[address_of_node_[parent_]];
    for (; rank != 0 && at != 0; --rank) {
        at = links_[at].next;
    }
    return links_[at].which;
}

unsigned context_model::rank_of(address_id which) const noexcept {
    unsigned rank = 0;
    for (std::uint32_t at = first_links_[address_of_node_[parent_]]; rank < most_rank;
         ++rank, at = links_[at].next) {
        if (at == 0) {
            return most_rank;
        }
        if (links_[at].which == which) {
            break;
        }
    }
    return rank;
}

address_id context_model::add(std::uint64_t address) {
    const auto made = static_cast<address_id>(addresses_.size());
    addresses_.push_back(address);
    first_links_.push_back(0);
    ends_.push_back(false);
    return made;
}

void context_model::pass(address_id which) {
    for (unsigned each = 0; each < expected_addresses; ++each) {
        tables_[each][places_[each]] = which;
    }
    // The list may be long, and its end is of no use. So an address that is far behind is put in front once more.
    std::uint32_t& first = first_links_[address_of_node_[parent_]];
    std::uint32_t* at = &first;
    for (unsigned rank = 0; rank < most_rank && *at != 0 && links_[*at].which != which; ++rank) {
        at = &links_[*at].next;
    }
    if (*at != 0 && links_[*at].which == which) {
        const std::uint32_t found = *at;
        *at = links_[found].next;
        links_[found].next = first;
        first = found;
    } else {
        links_.push_back({which, first});
        first = static_cast<std::uint32_t>(links_.size() - 1);
    }
    last_child_[parent_] = which;
    address_of_node_.push_back(which);
    last_child_.push_back(0);
}

} // namespace mallard::trace

#include "trace/contexts/context_model.hpp"

namespace mallard::trace {

namespace {

constexpr std::uint32_t table_places = 1U << 15;

constexpr std::uint32_t mix(std::uint32_t first, std::uint32_t second, std::uint32_t third) noexcept {
    const std::uint32_t mixed = ((first * 0x9e3779b1U ^ second) * 0x85ebca6bU ^ third) * 0xc2b2ae35U;
    return mixed >> 17;
}

} // namespace

context_model::context_model()
    : addresses_(1), first_links_(1), links_(1), ends_(1), ups_(table_places), node_addresses_(stack_ends),
      last_child_(stack_ends) {
    for (auto& table : tables_) {
        table.resize(table_places);
    }
}

void context_model::ask(const context_tree& tree, context_id parent) {
    parent_ = parent;
    const address_id inner = node_addresses_[parent];
    const address_id outer = node_addresses_[tree[parent].parent];
    const address_id sibling = last_child_[parent];
    places_ = {mix(inner, outer, sibling), mix(inner, 0, sibling), mix(inner, 0, 0)};
}

std::uint32_t context_model::up_place() const noexcept {
    return mix(node_addresses_.back(), node_addresses_[parent_], 1);
}

address_id context_model::ranked(std::uint64_t rank) const noexcept {
    std::uint32_t at = first_links_[node_addresses_[parent_]];
    for (; rank != 0 && at != 0; --rank) {
        at = links_[at].next;
    }
    return links_[at].address;
}

unsigned context_model::find_rank(address_id address) const noexcept {
    unsigned rank = 0;
    for (std::uint32_t at = first_links_[node_addresses_[parent_]]; rank < most_rank;
         ++rank, at = links_[at].next) {
        if (at == 0) {
            return most_rank;
        }
        if (links_[at].address == address) {
            break;
        }
    }
    return rank;
}

address_id context_model::add(std::uint64_t address) {
    const auto id = static_cast<address_id>(addresses_.size());
    addresses_.push_back(address);
    first_links_.push_back(0);
    ends_.push_back(false);
    return id;
}

void context_model::pass(address_id address) {
    for (unsigned index = 0; index < expected_addresses; ++index) {
        tables_[index][places_[index]] = address;
    }
    // The list may be long, and its tail is useless. So an address far behind is put in front again.
    std::uint32_t& first = first_links_[node_addresses_[parent_]];
    std::uint32_t* at = &first;
    for (unsigned rank = 0; rank < most_rank && *at != 0 && links_[*at].address != address; ++rank) {
        at = &links_[*at].next;
    }
    if (*at != 0 && links_[*at].address == address) {
        const std::uint32_t match = *at;
        *at = links_[match].next;
        links_[match].next = first;
        first = match;
    } else {
        links_.push_back({address, first});
        first = static_cast<std::uint32_t>(links_.size() - 1);
    }
    last_child_[parent_] = address;
    node_addresses_.push_back(address);
    last_child_.push_back(0);
}

} // namespace mallard::trace

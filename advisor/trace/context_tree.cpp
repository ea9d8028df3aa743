#include "trace/context_tree.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

namespace mallard::trace {

namespace {

constexpr std::size_t first_places = 1024;

std::uint64_t node_hash(context_id parent, std::uint64_t address) noexcept {
    return (address ^ std::uint64_t{parent} * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
}

// The high bits of a product depend on all bits of its factors. There are at most 2^32 nodes, so half of the bits suffice.
std::size_t first_place(std::uint64_t hash, std::size_t places) noexcept {
    return static_cast<std::size_t>(hash >> 31) & (places - 1);
}

std::uint32_t hash_tag(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash);
}

} // namespace

context_tree::context_tree() : nodes_(stack_ends), table_(first_places) {}

context_id context_tree::child(context_id parent, std::uint64_t address) {
    // The nodes of a stack that was new as a whole are consecutive.
    const std::size_t neighbour = std::size_t{parent} + 1;
    if (neighbour < nodes_.size() && nodes_[neighbour].parent == parent &&
        nodes_[neighbour].address == address && neighbour >= stack_ends) {
        return static_cast<context_id>(neighbour);
    }
    if (indexed_ != nodes_.size()) {
        index_all();
    }
    const std::uint64_t hash = node_hash(parent, address);
    std::size_t place = first_place(hash, table_.size());
    for (; table_[place].node != 0; place = (place + 1) & (table_.size() - 1)) {
        const entry candidate = table_[place];
        if (candidate.tag == hash_tag(hash) && nodes_[candidate.node].address == address &&
            nodes_[candidate.node].parent == parent) {
            return candidate.node;
        }
    }
    const context_id added = append(parent, address);
    table_[place] = {added, hash_tag(hash)};
    ++indexed_;
    if (nodes_.size() * 2 > table_.size()) {
        index_all();
    }
    return added;
}

context_id context_tree::append(context_id parent, std::uint64_t address) {
    if (nodes_.size() >= std::numeric_limits<context_id>::max()) {
        throw std::length_error("a trace with 2^32 different calls");
    }
    nodes_.push_back({address, parent, nodes_[parent].depth + 1});
    return static_cast<context_id>(nodes_.size() - 1);
}

/// Effects: puts all nodes into the table, and keeps at least half of its places empty.
void context_tree::index_all() {
    if (nodes_.size() * 2 > table_.size()) {
        table_.assign(std::bit_ceil(nodes_.size() * 2) * 2, entry{});
        indexed_ = stack_ends;
    }
    for (; indexed_ != nodes_.size(); ++indexed_) {
        const std::uint64_t hash = node_hash(nodes_[indexed_].parent, nodes_[indexed_].address);
        std::size_t place = first_place(hash, table_.size());
        while (table_[place].node != 0) {
            place = (place + 1) & (table_.size() - 1);
        }
        table_[place] = {static_cast<context_id>(indexed_), hash_tag(hash)};
    }
}

std::uint32_t context_tree::common_levels(context_id first, context_id second) const noexcept {
    while (nodes_[first].depth > nodes_[second].depth) {
        first = nodes_[first].parent;
    }
    while (nodes_[second].depth > nodes_[first].depth) {
        second = nodes_[second].parent;
    }
    while (first != second && nodes_[first].depth != 0) {
        first = nodes_[first].parent;
        second = nodes_[second].parent;
    }
    return nodes_[first].depth;
}

stack_end context_tree::root_end(context_id context) const noexcept {
    while (context >= stack_ends) {
        context = nodes_[context].parent;
    }
    return static_cast<stack_end>(context);
}

} // namespace mallard::trace

#include "trace/context_tree.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

namespace mallard::trace {

namespace {

constexpr std::size_t first_places = 1024;

std::uint64_t hash_of(context_id parent, std::uint64_t address) noexcept {
    return (address ^ std::uint64_t{parent} * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
}

// The high bits of a product depend on all bits of its factors. There are 2^32 nodes at most, so half of the bits are left.
std::size_t place_of(std::uint64_t hash, std::size_t places) noexcept {
    return static_cast<std::size_t>(hash >> 31) & (places - 1);
}

std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash);
}

} // namespace

context_tree::context_tree() : nodes_(stack_ends), table_(first_places) {}

context_id context_tree::child(context_id parent, std::uint64_t address) {
    // A stack that was new in one piece lies in one piece.
    const std::size_t neighbour = std::size_t{parent} + 1;
    if (neighbour < nodes_.size() && nodes_[neighbour].parent == parent &&
        nodes_[neighbour].address == address && neighbour >= stack_ends) {
        return static_cast<context_id>(neighbour);
    }
    if (indexed_ != nodes_.size()) {
        index_all();
    }
    const std::uint64_t hash = hash_of(parent, address);
    std::size_t place = place_of(hash, table_.size());
    for (; table_[place].which != 0; place = (place + 1) & (table_.size() - 1)) {
        const entry there = table_[place];
        if (there.tag == tag_of(hash) && nodes_[there.which].address == address &&
            nodes_[there.which].parent == parent) {
            return there.which;
        }
    }
    const context_id made = append(parent, address);
    table_[place] = {made, tag_of(hash)};
    ++indexed_;
    if (nodes_.size() * 2 > table_.size()) {
        index_all();
    }
    return made;
}

context_id context_tree::append(context_id parent, std::uint64_t address) {
    if (nodes_.size() >= std::numeric_limits<context_id>::max()) {
        throw std::length_error("a trace with 2^32 different calls");
    }
    nodes_.push_back({address, parent, nodes_[parent].depth + 1});
    return static_cast<context_id>(nodes_.size() - 1);
}

/// Effects: all nodes are in the table, and half of its places at least are empty.
void context_tree::index_all() {
    if (nodes_.size() * 2 > table_.size()) {
        table_.assign(std::bit_ceil(nodes_.size() * 2) * 2, entry{});
        indexed_ = stack_ends;
    }
    for (; indexed_ != nodes_.size(); ++indexed_) {
        const std::uint64_t hash = hash_of(nodes_[indexed_].parent, nodes_[indexed_].address);
        std::size_t place = place_of(hash, table_.size());
        while (table_[place].which != 0) {
            place = (place + 1) & (table_.size() - 1);
        }
        table_[place] = {static_cast<context_id>(indexed_), tag_of(hash)};
    }
}

std::uint32_t context_tree::common_levels(context_id one, context_id other) const noexcept {
    while (nodes_[one].depth > nodes_[other].depth) {
        one = nodes_[one].parent;
    }
    while (nodes_[other].depth > nodes_[one].depth) {
        other = nodes_[other].parent;
    }
    while (one != other && nodes_[one].depth != 0) {
        one = nodes_[one].parent;
        other = nodes_[other].parent;
    }
    return nodes_[one].depth;
}

stack_end context_tree::end_of(context_id which) const noexcept {
    while (which >= stack_ends) {
        which = nodes_[which].parent;
    }
    return static_cast<stack_end>(which);
}

} // namespace mallard::trace

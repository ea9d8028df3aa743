#include "trace/context_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

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

context_tree::context_tree() : addresses_(1), table_(first_places), address_table_(first_places) {
    for (std::uint32_t end = 0; end < stack_ends; ++end) {
        append_run(0, 0, static_cast<stack_end>(end));
        append_node(0, true);
    }
}

context_id context_tree::child(context_id parent, std::uint64_t address) {
    // The nodes of a stack that was new as a whole are consecutive.
    const std::size_t neighbour = std::size_t{parent} + 1;
    if (neighbour < size() && neighbour >= stack_ends &&
        this->parent(static_cast<context_id>(neighbour)) == parent &&
        this->address(static_cast<context_id>(neighbour)) == address) {
        return static_cast<context_id>(neighbour);
    }
    if (indexed_ != size()) {
        index_all();
    }
    const std::uint64_t hash = node_hash(parent, address);
    std::size_t place = first_place(hash, table_.size());
    for (; table_[place].node != 0; place = (place + 1) & (table_.size() - 1)) {
        const entry candidate = table_[place];
        if (candidate.tag == hash_tag(hash) && this->address(candidate.node) == address &&
            this->parent(candidate.node) == parent) {
            return candidate.node;
        }
    }
    const context_id added = append(parent, find_or_add_address(address));
    table_[place] = {added, hash_tag(hash)};
    ++indexed_;
    if (size() * 2 > table_.size()) {
        index_all();
    }
    return added;
}

address_id context_tree::add_address(std::uint64_t address) {
    addresses_.push_back(address);
    return static_cast<address_id>(addresses_.size() - 1);
}

context_id context_tree::append(context_id parent, address_id address) {
    if (size() >= std::numeric_limits<context_id>::max()) {
        throw std::length_error("a trace with 2^32 different calls");
    }
    const auto added = static_cast<context_id>(size());
    const bool begins = run_ended_ || parent + 1 != added;
    if (begins) {
        const run_entry outer = runs_[run(parent)];
        const std::uint64_t depth = std::uint64_t{depth_in(outer, parent)} + 1;
        if (depth >> depth_bits != 0) {
            throw std::length_error("a trace with a stack of 2^29 calls");
        }
        append_run(parent, static_cast<std::uint32_t>(depth), static_cast<stack_end>(outer.end));
        run_ended_ = false;
    }
    append_node(address, begins);
    return added;
}

void context_tree::append_run(context_id parent, std::uint32_t depth, stack_end end) {
    run_entry added;
    added.first = static_cast<context_id>(size());
    added.parent = parent;
    added.depth = depth & ((std::uint32_t{1} << depth_bits) - 1);
    added.end = static_cast<std::uint32_t>(end) & 7;
    runs_.push_back(added);
}

void context_tree::append_node(address_id address, bool begins) {
    const auto bit = static_cast<context_id>(size() % place_nodes);
    if (bit == 0) {
        places_.push_back({0, static_cast<run_id>(runs_.size() - (begins ? 1 : 0))});
    }
    places_.back().begins |= std::uint32_t{begins} << bit;
    node_addresses_.push_back(address);
}

address_id context_tree::find_or_add_address(std::uint64_t address) {
    index_addresses();
    std::size_t place = first_place(node_hash(0, address), address_table_.size());
    while (address_table_[place] != 0) {
        if (addresses_[address_table_[place]] == address) {
            return address_table_[place];
        }
        place = (place + 1) & (address_table_.size() - 1);
    }
    return add_address(address);
}

/// Effects: puts all addresses into their table, and keeps at least half of its places empty.
void context_tree::index_addresses() {
    if (indexed_addresses_ == addresses_.size()) {
        return;
    }
    if (addresses_.size() * 2 > address_table_.size()) {
        address_table_.assign(std::bit_ceil(addresses_.size() * 2) * 2, 0);
        indexed_addresses_ = 1;
    }
    for (; indexed_addresses_ != addresses_.size(); ++indexed_addresses_) {
        std::size_t place = first_place(node_hash(0, addresses_[indexed_addresses_]), address_table_.size());
        while (address_table_[place] != 0) {
            place = (place + 1) & (address_table_.size() - 1);
        }
        address_table_[place] = static_cast<address_id>(indexed_addresses_);
    }
}

/// Effects: puts all nodes into the table, and keeps at least half of its places empty.
void context_tree::index_all() {
    if (size() * 2 > table_.size()) {
        table_.assign(std::bit_ceil(size() * 2) * 2, entry{});
        indexed_ = stack_ends;
    }
    for (; indexed_ != size(); ++indexed_) {
        const auto added = static_cast<context_id>(indexed_);
        const std::uint64_t hash = node_hash(parent(added), address(added));
        std::size_t place = first_place(hash, table_.size());
        while (table_[place].node != 0) {
            place = (place + 1) & (table_.size() - 1);
        }
        table_[place] = {added, hash_tag(hash)};
    }
}

std::uint32_t context_tree::common_levels(context_id first, context_id second) const noexcept {
    run_id first_run = run(first);
    run_id second_run = run(second);
    // A node of the later run cannot be an ancestor of a node in an earlier one.
    while (first_run != second_run) {
        if (first_run < second_run) {
            std::swap(first, second);
            std::swap(first_run, second_run);
        }
        if (first_run < stack_ends) {
            return 0;
        }
        first = runs_[first_run].parent;
        first_run = run(first);
    }
    return depth_in(runs_[first_run], std::min(first, second));
}

} // namespace mallard::trace

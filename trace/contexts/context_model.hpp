/// Which call a new context adds to its parent: what a writer and a reader expect alike.
///
/// Data model: the different addresses of all nodes, numbered from 1; 0 is none. By the addresses around a new node, the
/// model knows the address that a node had there the last time. For each address it lists those of the children of its
/// nodes, the one that came last in front.
/// Invariant: both sides tell the model the same nodes, so it expects the same for both.
#pragma once

#include "trace/context_tree.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mallard::trace {

using address_id = std::uint32_t;

class context_model {
public:
    static constexpr unsigned expected_addresses = 3;
    static constexpr unsigned most_rank = 64;

    context_model();

    /// Effects: the next questions are about a new child of that node.
    /// Requires: the node was passed, or is a root.
    void ask(const context_tree& tree, context_id parent);

    /// Returns: the address that is expected; the likeliest one is 0.
    [[nodiscard]] address_id expected(unsigned which) const noexcept {
        return tables_[which][places_[which]];
    }
    /// Returns: the child's address of that rank; 0 if there is none.
    [[nodiscard]] address_id ranked(std::uint64_t rank) const noexcept;
    /// Returns: the rank of the child's address; `most_rank` if it has none below that.
    [[nodiscard]] unsigned rank_of(address_id which) const noexcept;

    address_id add(std::uint64_t address);
    [[nodiscard]] std::size_t size() const noexcept { return addresses_.size(); }
    [[nodiscard]] std::uint64_t address_of(address_id which) const noexcept { return addresses_[which]; }
    /// Returns: the address that was added last.
    [[nodiscard]] std::uint64_t last_added() const noexcept { return addresses_.back(); }

    /// Effects: the child that was asked for has that address, and is the next node of the tree.
    void pass(address_id which);

    /// Returns: true if a run is expected to end with that address.
    [[nodiscard]] bool expects_end(address_id which) const noexcept { return ends_[which]; }
    /// Effects: the run ends, or does not end, with the node that was passed last.
    void pass_end(bool ends) noexcept { ends_[address_of_node_.back()] = ends; }

    /// Returns: the levels from the last node to the parent of the next run that are expected.
    [[nodiscard]] std::uint8_t expected_up() const noexcept { return ups_[up_place()]; }
    void pass_up(std::uint8_t up) noexcept { ups_[up_place()] = up; }

private:
    [[nodiscard]] std::uint32_t up_place() const noexcept;

    struct link {
        address_id which = 0;
        std::uint32_t next = 0;
    };

    large_vector<std::uint64_t> addresses_;
    std::vector<std::uint32_t> first_links_; ///< by address
    large_vector<link> links_;
    std::vector<bool> ends_; ///< by address: the last run that came there ended
    std::vector<std::uint8_t> ups_;
    large_vector<address_id> address_of_node_;
    large_vector<address_id> last_child_; ///< by node: the address of its child that came last
    std::array<std::vector<address_id>, expected_addresses> tables_;
    std::array<std::uint32_t, expected_addresses> places_{};
    context_id parent_ = 0;
};

} // namespace mallard::trace

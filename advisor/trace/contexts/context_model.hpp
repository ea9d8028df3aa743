/// Predicts the calls that new contexts add to their parents. The writer and the reader use the same model.
///
/// Data model: the distinct addresses of all nodes, numbered from 1; 0 means none. By the addresses around a new node, the
/// model finds the address that a node had there last. For each address it lists those of the children of its
/// nodes, the most recent one first.
/// Invariant: both sides pass the same nodes to the model, so their predictions agree.
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

    /// Effects: selects the parent of a new child for the functions below.
    /// Requires: the node has been passed, or is a root.
    void ask(const context_tree& tree, context_id parent);

    /// Returns: an expected address; `index` 0 is the likeliest one.
    [[nodiscard]] address_id expected(unsigned index) const noexcept {
        return tables_[index][places_[index]];
    }
    /// Returns: the child's address with that rank, or 0.
    [[nodiscard]] address_id ranked(std::uint64_t rank) const noexcept;
    /// Returns: the rank of the child's address; at most `most_rank`.
    [[nodiscard]] unsigned find_rank(address_id address) const noexcept;

    address_id add(std::uint64_t address);
    [[nodiscard]] std::size_t size() const noexcept { return addresses_.size(); }
    [[nodiscard]] std::uint64_t address_at(address_id id) const noexcept { return addresses_[id]; }
    /// Returns: the last added address.
    [[nodiscard]] std::uint64_t last_added() const noexcept { return addresses_.back(); }

    /// Effects: passes the new child, which has that address and is the next node of the tree.
    void pass(address_id address);

    /// Returns: true if a run is expected to end with that address.
    [[nodiscard]] bool expects_end(address_id address) const noexcept { return ends_[address]; }
    /// Effects: notes whether the run ends with the last passed node.
    void pass_end(bool ends) noexcept { ends_[node_addresses_.back()] = ends; }

    /// Returns: the expected `up` of the next run.
    [[nodiscard]] std::uint8_t expected_up() const noexcept { return ups_[up_place()]; }
    void pass_up(std::uint8_t up) noexcept { ups_[up_place()] = up; }

private:
    [[nodiscard]] std::uint32_t up_place() const noexcept;

    struct link {
        address_id address = 0;
        std::uint32_t next = 0;
    };

    large_vector<std::uint64_t> addresses_;
    std::vector<std::uint32_t> first_links_; ///< by address
    large_vector<link> links_;
    std::vector<bool> ends_; ///< by address: whether the last run ended there
    std::vector<std::uint8_t> ups_;
    large_vector<address_id> node_addresses_;
    large_vector<address_id> last_child_; ///< by node: the address of its last child
    std::array<std::vector<address_id>, expected_addresses> tables_;
    std::array<std::uint32_t, expected_addresses> places_{};
    context_id parent_ = 0;
};

} // namespace mallard::trace

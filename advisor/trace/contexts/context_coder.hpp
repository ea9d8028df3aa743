/// Codes the nodes of a context tree as the bodies of frames, in order of their numbers.
///
///     run: 7 <- 8 <- 9, a leaf      the next run: 5 <- 10 <- 11 <- 12, a leaf
///
/// Data model: an event with a new context adds a run of the tree. Its last node is a *leaf*.
/// Invariant: a coder sees all nodes of its tree in order, from frame to frame.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/file/columns.hpp"
#include "trace/growing_array.hpp"
#include "trace/large_memory.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mallard::trace {

/// Predicts the calls that new contexts add to their parents. The writer and the reader use the same model.
///
/// Data model: by the addresses around a new node, the model finds the address that a node had there last. For each address
/// it lists those of the children of its nodes, the most recent one first.
/// Invariant: both sides pass the same nodes to the model, so their predictions agree.
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

    /// Effects: adds the next address.
    address_id add();
    /// One more than the highest number of an address that was added.
    [[nodiscard]] std::size_t size() const noexcept { return first_links_.size(); }

    /// Effects: passes the new child, which has that address and is the next node of the tree.
    void pass(address_id address);

    /// Returns: true if a run is expected to end with that address.
    [[nodiscard]] bool expects_end(address_id address) const noexcept { return ends_[address]; }
    /// Effects: notes whether the run ends with the last passed node.
    void pass_end(bool ends) noexcept { ends_[last_address_] = ends; }

    /// Returns: the expected `up` of the next run.
    [[nodiscard]] std::uint8_t expected_up() const noexcept { return ups_[up_place()]; }
    void pass_up(std::uint8_t up) noexcept { ups_[up_place()] = up; }

private:
    [[nodiscard]] std::uint32_t up_place() const noexcept;

    struct link {
        address_id address = 0;
        std::uint32_t next = 0;
    };

    std::vector<std::uint32_t> first_links_; ///< by address
    large_vector<link> links_;
    std::vector<bool> ends_; ///< by address: whether the last run ended there
    std::vector<std::uint8_t> ups_;
    small_numbers last_child_; ///< by node: the address of its last child
    std::array<std::vector<address_id>, expected_addresses> tables_;
    std::array<std::uint32_t, expected_addresses> places_{};
    context_id parent_ = 0;
    address_id parent_address_ = 0;
    address_id last_address_ = 0; ///< of the last passed node
};

enum class context_column : std::uint8_t {
    up,     ///< 1 + levels from the last node to the parent of a run; 0 if as expected
    parent, ///< parent of a run if `up` is `far_up`: distance in nodes
    way,    ///< `address_way` of an address, with `unexpected_end`
    rank,   ///< rank of an address among those of the children
    known,  ///< distance to the address in the order of addition
    fresh,  ///< difference of a new address from the last new one
    bits,
    end,
};

enum class address_way : std::uint8_t {
    expected = 0, ///< the first expected address; the others are 1 and 2
    ranked = 3,
    known = 4,
    fresh = 5,
};

/// In the column `way`: the run continues where an end is expected, or the reverse.
inline constexpr std::uint8_t unexpected_end = 8;

/// In the column `up`: the parent is not an ancestor near the last node.
inline constexpr std::uint8_t far_up = 255;

class context_encoder {
public:
    /// Effects: encodes up to about `most` of the remaining nodes into prologue() and columns().
    /// Requires: nodes remain, and the last run of the tree has ended.
    /// Returns: the number of nodes.
    std::size_t encode(const context_tree& tree, std::size_t most);

    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    void encode_parent(const context_tree& tree, context_id first);
    void encode_address(const context_tree& tree, context_id node, bool ends);
    std::uint8_t find_address(const context_tree& tree, address_id address);

    context_model model_;
    column_writer<context_column> columns_;
    byte_writer prologue_;
    context_id next_ = stack_ends;
};

class context_decoder {
public:
    /// Effects: adds `count` nodes.
    /// Requires: the body is followed by `unpacker::bytes_behind` bytes.
    /// Throws: bad_bytes.
    void decode(std::span<const std::byte> plain, std::size_t count, context_tree& tree);

private:
    context_id decode_parent(const context_tree& tree);
    address_id decode_address(std::uint8_t method, context_tree& tree);

    context_model model_;
    column_reader<context_column> columns_;
};

} // namespace mallard::trace

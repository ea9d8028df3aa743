/// Nodes of a tree of contexts as the bodies of frames, in the order of their numbers.
///
///     run: 7 <- 8 <- 9, a leaf      the next run: 5 <- 10 <- 11 <- 12, a leaf
///
/// Data model: an event with a new context makes a run of nodes, each the child of the node before; only the first one may
/// be the child of any other. The last one is a *leaf*. So a tree is a list of runs.
/// Invariant: a coder is told all nodes of its tree in their order, from frame to frame.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/contexts/context_model.hpp"
#include "trace/encode/columns.hpp"
#include "trace/encode/number_table.hpp"

#include <vector>

namespace mallard::trace {

/// The tree of a process, and its leaves in the order of their numbers.
struct known_contexts {
    context_tree tree;
    std::vector<context_id> leaves;
};

enum class context_column : std::uint8_t {
    up,     ///< levels from the last node to the parent of a run, and 1; 0 if they are as expected
    parent, ///< of a run, if `up` is `far_up`: nodes since
    way,    ///< of an address: as expected, or another `address_way`; and `other_end`
    rank,   ///< of an address, among those of the children
    known,  ///< addresses since the one that is meant
    fresh,  ///< distance of an address from the last one that was new
    bits,
    end,
};

enum class address_way : std::uint8_t {
    expected = 0, ///< the first of those that are expected; the others are 1 and 2
    ranked = 3,
    known = 4,
    fresh = 5,
};

/// In the column `way`: the run goes on where an end is expected, or ends where none is.
inline constexpr std::uint8_t other_end = 8;

/// In the column `up`: the parent is not above the last node.
inline constexpr std::uint8_t far_up = 255;

class context_encoder {
public:
    context_encoder();

    /// Effects: prologue() and columns() have nodes from the first one on that was not encoded before, up to about `most`.
    /// Requires: there are such nodes, and the last node of the tree is a leaf.
    /// Returns: the number of nodes.
    std::size_t encode(const known_contexts& contexts, std::size_t most);

    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    void encode_parent(const context_tree& tree, context_id first);
    void encode_address(const context_tree& tree, context_id which, bool ends);
    std::uint8_t find_address(std::uint64_t address, address_id& which);

    context_model model_;
    number_table addresses_;
    column_writer<context_column> columns_;
    byte_writer prologue_;
    std::size_t next_leaf_ = 0;
    context_id next_ = stack_ends;
};

class context_decoder {
public:
    /// Effects: adds `count` nodes.
    /// Requires: `unpacker::bytes_behind` bytes are behind the body.
    /// Throws: bad_bytes.
    void decode(std::span<const std::byte> plain, std::size_t count, known_contexts& contexts);

private:
    context_id decode_parent(const context_tree& tree);
    address_id decode_address(std::uint8_t way);

    context_model model_;
    column_reader<context_column> columns_;
};

} // namespace mallard::trace

/// Codes the nodes of a context tree as the bodies of frames, in order of their numbers.
///
///     run: 7 <- 8 <- 9, a leaf      the next run: 5 <- 10 <- 11 <- 12, a leaf
///
/// Data model: an event with a new context adds a run of nodes, each the child of the preceding one; only the parent of the
/// first one is arbitrary. The last one is a *leaf*. So a tree is a list of runs.
/// Invariant: a coder sees all nodes of its tree in order, from frame to frame.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/contexts/context_model.hpp"
#include "trace/contexts/number_table.hpp"
#include "trace/file/columns.hpp"

#include <vector>

namespace mallard::trace {

/// The tree of a process, and its leaves in order of their numbers.
struct known_contexts {
    context_tree tree;
    std::vector<context_id> leaves;
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
    context_encoder();

    /// Effects: encodes up to about `most` of the remaining nodes into prologue() and columns().
    /// Requires: nodes remain, and the last node of the tree is a leaf.
    /// Returns: the number of nodes.
    std::size_t encode(const known_contexts& contexts, std::size_t most);

    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    void encode_parent(const context_tree& tree, context_id first);
    void encode_address(const context_tree& tree, context_id node, bool ends);
    std::uint8_t find_address(std::uint64_t address, address_id& result);

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
    /// Requires: the body is followed by `unpacker::bytes_behind` bytes.
    /// Throws: bad_bytes.
    void decode(std::span<const std::byte> plain, std::size_t count, known_contexts& contexts);

private:
    context_id decode_parent(const context_tree& tree);
    address_id decode_address(std::uint8_t method);

    context_model model_;
    column_reader<context_column> columns_;
};

} // namespace mallard::trace

/// The nodes of a context tree as the bodies of frames, in the order of their numbers.
///
///     run: 7 <- 8 <- 9       the next run: 5 <- 10 <- 11 <- 12
///
/// An event with a new context adds a run to the tree. A body has whole runs.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/file/columns.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mallard::trace {

enum class context_column : std::uint8_t {
    parent,  ///< of the first node of a run: nodes from its parent; of the others 0
    address, ///< its number; 0 for one that no node has had
    fresh,   ///< of such an address: signed distance from the last new one
    end,
};

class context_encoder {
public:
    [[nodiscard]] bool is_done(const context_tree& tree) const noexcept { return next_ == tree.size(); }

    /// Effects: encodes whole runs of about `most` nodes into prologue() and columns().
    /// Requires: nodes remain, and the last run of the tree has ended.
    /// Returns: the number of nodes.
    std::size_t encode(const context_tree& tree, std::size_t most);

    /// Effects: skips all nodes, which the file has.
    void skip(const context_tree& tree) noexcept;

    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    column_writer<context_column> columns_;
    byte_writer prologue_;
    context_id next_ = stack_ends;
    address_id next_address_ = 1;
};

/// Effects: adds the `count` nodes of a body to the tree.
/// Throws: bad_bytes.
void decode_contexts(std::span<const std::byte> body, std::size_t count, context_tree& tree);

} // namespace mallard::trace

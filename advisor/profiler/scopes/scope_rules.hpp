/// A decision tree that finds a scope by return addresses, learnt from the stacks of a recording.
///
///     node 0: return address of an allocation  -> decision, or node 1
///     node 1: return address of its caller     -> decision, or node 2
///
/// Data model: a row for each return address at each node. A trial (trial/detect/scope_rules.hpp) walks the tree at each request,
/// and unwinds the stack where the tree has no row.
/// Invariant: the smallest tree: a node exists only if the stacks that lead to it differ in their decisions.
#pragma once

#include "trace/context_tree.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mallard::advisor {

/// The position of a stack relative to a scope.
enum class position : std::uint8_t {
    outside,
    inside,
    excluded, ///< inside, and called from excluded code
    unknown,  ///< levels were omitted, which may be in the scope or in excluded code
};

/// Returns: a number of the instruction in its file, which is the same at each load address; `no_place` if there is no file.
using place_lookup = std::function<std::uint64_t(std::uint64_t level)>;
inline constexpr std::uint64_t no_place = ~std::uint64_t{0};

struct scope_rules {
    /// A larger tree decides the most frequent stacks only.
    static constexpr std::size_t most_rows = 2048;
    /// Stacks that need more return addresses are not decided.
    static constexpr unsigned most_levels = 8;

    struct row {
        std::uint32_t node = 0;
        std::uint32_t next = 0; ///< the next node; 0 if the row decides
        position decision = position::outside;
        std::uint64_t place = 0;
        std::uint64_t allocations = 0;
    };

    std::vector<row> rows; ///< a node's rows are behind the row that leads to it
    std::uint64_t allocations = 0;
    std::uint64_t undecided = 0; ///< allocations
    /// Return addresses behind the first one, summed over allocations. An undecided one counts as `most_levels`.
    std::uint64_t further_levels = 0;
};

/// Returns: the tree that decides by `positions`. `allocations` and `positions` are indexed by context.
/// Complexity: O(stacks * most_levels * log(stacks)).
scope_rules learn_rules(const trace::context_tree& contexts, std::span<const std::uint64_t> allocations,
                        std::span<const position> positions, const place_lookup& find_place);

} // namespace mallard::advisor

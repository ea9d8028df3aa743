/// The stacks of a process as a tree: each node is a call, whose parent is its caller.
///
///     run       first node   parent   nodes
///     6         6            0        6 <- 7 <- 8
///     7         9            7        9 <- 10        the stack 0, 6, 7, 9, 10
///
/// Data model: nodes by number, parents before children. A stack mostly adds several nodes, each the child of the preceding
/// one: a *run*, which has one parent and one depth for all of them. A node has the number of its address, mostly in two
/// bytes, and a bit that marks the first one of a run: about six bytes in all. The first
/// `stack_ends` nodes have no address, and a run each: they are the roots of the stacks with one kind of end (`stack_end`).
/// Invariants: no two children of a node have the same address. The ancestors of a node are in runs that do not follow its
/// own.
#pragma once

#include "trace/count_bits.hpp"
#include "trace/event.hpp"
#include "trace/growing_array.hpp"
#include "trace/large_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::trace {

/// The number of an address in a tree, from 1 in the order of the nodes; 0 means none.
using address_id = std::uint32_t;
using run_id = std::uint32_t;

class context_tree {
public:
    struct node {
        std::uint64_t address =
            0; ///< a return address, perhaps with `interrupted_level`; `omitted_levels` for a gap
        context_id parent = 0;
        std::uint32_t depth = 0; ///< number of levels, including this one; 0 for a root
    };
    /// The address of a node that stands for levels omitted because the stack was too deep.
    static constexpr std::uint64_t omitted_levels = 0;

    context_tree();

    static constexpr context_id root(stack_end end) noexcept { return static_cast<context_id>(end); }

    /// Returns: the child of `parent` with that address, added if necessary.
    /// Throws: std::length_error if there are 2^32 nodes, or 2^29 levels.
    /// Complexity: O(1) on average.
    context_id child(context_id parent, std::uint64_t address);

    /// Effects: adds an address, without the search of child().
    /// Requires: the tree does not have the address.
    address_id add_address(std::uint64_t address);
    /// Effects: adds a child to `parent`, without the search of child().
    /// Requires: `parent` has no child with that address.
    /// Throws: std::length_error, as child() does.
    /// Complexity: O(1). A later child() pays for the search.
    context_id append(context_id parent, address_id address);
    /// Effects: ends the last run, even if the next node is a child of the last one.
    void end_run() noexcept { run_ended_ = true; }

    [[nodiscard]] std::size_t size() const noexcept { return node_addresses_.size(); }
    [[nodiscard]] node operator[](context_id context) const noexcept {
        return {address(context), parent(context), depth(context)};
    }
    [[nodiscard]] std::uint64_t address(context_id context) const noexcept {
        return addresses_[node_addresses_[context]];
    }
    [[nodiscard]] context_id parent(context_id context) const noexcept {
        return begins_run(context) ? runs_[run(context)].parent : context - 1;
    }
    [[nodiscard]] std::uint32_t depth(context_id context) const noexcept {
        return depth_in(runs_[run(context)], context);
    }

    /// Returns: the number of the node's address; 0 for a root.
    [[nodiscard]] address_id address_number(context_id context) const noexcept {
        return node_addresses_[context];
    }
    [[nodiscard]] std::uint64_t address_at(address_id number) const noexcept { return addresses_[number]; }
    /// One more than the highest number of an address.
    [[nodiscard]] std::size_t addresses() const noexcept { return addresses_.size(); }

    [[nodiscard]] std::size_t runs() const noexcept { return runs_.size(); }
    [[nodiscard]] bool begins_run(context_id context) const noexcept {
        return (places_[context / place_nodes].begins >> context % place_nodes & 1) != 0;
    }
    /// Returns: the run of the node.
    [[nodiscard]] run_id run(context_id context) const noexcept {
        const run_place at = places_[context / place_nodes];
        const std::uint32_t up_to = std::uint32_t{2} << context % place_nodes;
        return at.before + count_bits(at.begins & (up_to - 1)) - 1;
    }
    [[nodiscard]] context_id first_node(run_id run) const noexcept { return runs_[run].first; }
    /// Returns: the innermost node of the run.
    [[nodiscard]] context_id last_node(run_id run) const noexcept {
        return (std::size_t{run} + 1 < runs_.size() ? runs_[run + 1].first
                                                    : static_cast<context_id>(size())) -
               1;
    }

    /// Returns: the number of common levels of two stacks, from the outermost one.
    /// Complexity: O(runs that are not common).
    [[nodiscard]] std::uint32_t common_levels(context_id first, context_id second) const noexcept;
    /// Returns: the end of the stack.
    [[nodiscard]] stack_end root_end(context_id context) const noexcept {
        return static_cast<stack_end>(runs_[run(context)].end);
    }

private:
    static constexpr unsigned depth_bits = 29;
    static constexpr context_id place_nodes = 32;

    struct run_entry {
        context_id first = 0;
        context_id parent = 0;
        std::uint32_t depth : depth_bits = 0; ///< of the first node
        std::uint32_t end : 3 = 0;            ///< of the stacks
    };
    /// The runs of 32 nodes.
    struct run_place {
        std::uint32_t begins = 0; ///< bits of the first nodes of runs
        run_id before = 0;        ///< runs that begin before these nodes
    };
    /// A node in the table, with bits of its hash, which distinguish most nodes without a look at them.
    struct entry {
        context_id node = 0; ///< 0 marks an empty place
        std::uint32_t tag = 0;
    };

    static std::uint32_t depth_in(const run_entry& run, context_id context) noexcept {
        return run.depth + (context - run.first);
    }
    void append_run(context_id parent, std::uint32_t depth, stack_end end);
    void append_node(address_id address, bool begins);
    address_id find_or_add_address(std::uint64_t address);
    void index_all();
    void index_addresses();

    small_numbers node_addresses_;
    growing_array<run_place> places_;
    growing_array<run_entry> runs_;
    large_vector<std::uint64_t> addresses_;
    bool run_ended_ = true;

    large_vector<entry> table_;             ///< open addressing by (parent, address)
    std::size_t indexed_ = stack_ends;      ///< the nodes below are in the table
    std::vector<address_id> address_table_; ///< open addressing by address; 0 marks an empty place
    std::size_t indexed_addresses_ = 1;     ///< the addresses below are in the table
};

} // namespace mallard::trace

/// The calls of stacks with their names, for exports.
///
/// Data model: one `level` for each different address of the stacks, numbered in the order in which they were asked for.
/// A stack that lacks its outer part begins with a level that says so. All names are printable.
#pragma once

#include "advisor/symbols/code_map.hpp"
#include "trace/context_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

class frame_table {
public:
    struct level {
        std::uint64_t instruction =
            0;                ///< address in the call; 0 if the level stands for something else than code
        std::size_t file = 0; ///< place in the trace's list of loaded files; their number if it is in none
        std::string object;   ///< name of that file
        std::vector<place> places; ///< the innermost inlined function first
    };

    /// Requires: the tree, the map and the process's files stay as long as this does.
    frame_table(const trace::context_tree& contexts, code_map& code, std::size_t files);

    /// Returns: the number of the level that the context ends with; none for the root of complete stacks.
    std::optional<std::uint32_t> level_of(trace::context_id context);

    /// Returns: the number of the level that stands for a stack without levels.
    std::uint32_t no_stack();

    [[nodiscard]] const level& operator[](std::uint32_t which) const noexcept { return levels_[which]; }
    [[nodiscard]] std::size_t size() const noexcept { return levels_.size(); }

private:
    std::uint32_t add(std::uint64_t key, level made);

    const trace::context_tree& contexts_;
    code_map& code_;
    std::size_t files_;
    std::vector<level> levels_;
    std::unordered_map<std::uint64_t, std::uint32_t>
        by_address_; ///< ends of stacks have keys above all addresses
};

/// Returns: for each context, true if it or one that it is an ancestor of allocated.
std::vector<bool> contexts_to_show(const trace::context_tree& contexts, const std::vector<bool>& allocated);

} // namespace mallard::advisor

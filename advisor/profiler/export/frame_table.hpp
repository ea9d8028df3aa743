/// The levels of stacks with their names, for exports.
///
/// Data model: one `level` for each distinct address of the stacks, numbered in the order of the first lookup. A
/// stack without its outer part begins with a placeholder level. All names are printable.
#pragma once

#include "profiler/symbols/code_map.hpp"
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
        std::uint64_t instruction = 0; ///< address in the call; 0 for a placeholder
        std::size_t file = 0; ///< index of the loaded file in the trace; the number of files if there is none
        std::string object;   ///< name of that file
        std::vector<place> places; ///< the innermost inlined function first
    };

    /// Requires: the tree, the map and the files of the process outlive the table.
    frame_table(const trace::context_tree& contexts, code_map& code, std::size_t files);

    /// Returns: the number of the context's innermost level; nothing for the root of complete stacks.
    std::optional<std::uint32_t> find_level(trace::context_id context);

    /// Returns: the number of the placeholder for a stack without levels.
    std::uint32_t no_stack();

    [[nodiscard]] const level& operator[](std::uint32_t index) const noexcept { return levels_[index]; }
    [[nodiscard]] std::size_t size() const noexcept { return levels_.size(); }

private:
    std::uint32_t add(std::uint64_t key, level entry);

    const trace::context_tree& contexts_;
    code_map& code_;
    std::size_t files_;
    std::vector<level> levels_;
    std::unordered_map<std::uint64_t, std::uint32_t>
        by_address_; ///< placeholders have keys above all addresses
};

} // namespace mallard::advisor

/// The tables `functions`, `places` and `stacks` of the document: each name and each stack is written once, and the
/// other parts refer to its row.
#pragma once

#include "profiler/report/code_names.hpp"
#include "trace/context_tree.hpp"
#include "trace/json_writer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mallard::advisor {

using trace::json_writer;

class name_tables {
public:
    /// Requires: both arguments outlive the object.
    name_tables(code_names& names, const trace::context_tree& contexts)
        : names_(&names), contexts_(&contexts) {}

    /// Returns: the row of the function.
    std::size_t function(scope_id id);
    /// Returns: the row of the level's innermost place outside of libraries; of the compiled function if all places
    /// are in libraries. Address 0 stands for a stack without levels.
    std::size_t place(std::uint64_t level);
    /// Returns: the row of the stack.
    std::size_t stack(trace::context_id context);

    [[nodiscard]] const std::string& name(std::size_t function_row) const {
        return functions_[function_row].name;
    }

    /// Effects: writes the three tables as fields.
    void write(json_writer& json) const;

    /// Returns: the name, with its middle removed if it is very long.
    static std::string shortened(const std::string& name);

private:
    /// The limits of the places of a stack; the places between them are left out.
    static constexpr std::size_t most_inner_places = 120;
    static constexpr std::size_t most_outer_places = 30;
    static constexpr std::size_t skipped_levels = static_cast<std::size_t>(-1);

    struct place_row {
        std::size_t function = 0;
        std::string file;
        unsigned line = 0;
        bool inlined = false;
    };
    struct level_rows {
        std::vector<std::size_t> places; ///< the innermost first
        std::size_t own = 0;             ///< the first place outside of libraries
    };

    const level_rows& level(std::uint64_t address);
    std::size_t function_row(function_info function);
    std::size_t add_place(place_row row);

    code_names* names_;
    const trace::context_tree* contexts_;
    std::vector<function_info> functions_;
    std::vector<place_row> places_;
    std::vector<std::vector<std::size_t>> stacks_;
    std::unordered_map<scope_id, std::size_t> compiled_;
    std::map<std::pair<std::string, std::string>, std::size_t> by_name_; ///< (name, object)
    std::map<std::tuple<std::size_t, std::string, unsigned, bool>, std::size_t> by_place_;
    std::unordered_map<std::uint64_t, level_rows> by_level_;
    std::unordered_map<trace::context_id, std::size_t> by_context_;
};

} // namespace mallard::advisor

/// Names of code from the symbols of files on this machine.
#pragma once

#include "profiler/report/code_names.hpp"
#include "profiler/symbols/code_map.hpp"

namespace mallard::advisor {

class symbol_names final : public code_names {
public:
    /// Requires: `files` outlives the object.
    symbol_names(std::span<const trace::code_file> files, const std::string& executable)
        : files_(files), map_(files, executable) {}

    scope_id function_at(std::uint64_t level) override;
    function_info function(scope_id id) override;
    std::string short_name(scope_id id) override;
    std::vector<named_place> places(std::uint64_t level) override;
    bool is_library(scope_id id) override;
    bool is_library_name(std::string_view short_name) override;
    std::optional<place_in_file> in_file(std::uint64_t level) override;
    std::vector<code_in_file> inlined_code(std::uint64_t level) override;
    std::vector<std::string> warnings() override { return map_.warnings(); }
    /// Effects: adds the levels of a recorded level, as level_lookup does.
    void find_levels(std::uint64_t recorded, std::vector<std::uint64_t>& levels);
    /// Returns: the names of functions whose symbols contain the text.
    std::set<std::string> containing(std::string_view text) { return map_.names_containing(text); }

private:
    /// Returns: the inlined function of the level; null if its function is the compiled one.
    const inlined_place* inlined(std::uint64_t level);

    std::span<const trace::code_file> files_;
    code_map map_;
};

} // namespace mallard::advisor

/// The parts of the document, each with its own function. docs/advisor/profile_format.md describes them, as tables.
#pragma once

#include "profiler/analysis/analysis.hpp"
#include "profiler/report/name_tables.hpp"
#include "profiler/report/profile_report.hpp"
#include "profiler/report/scope_details.hpp"
#include "profiler/report/suppressions.hpp"
#include "trace/json_writer.hpp"

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

using trace::json_writer;

/// The input of all parts.
struct report_source {
    const analysis& results;
    code_names& names;
    call_sites& sites;
    name_tables& tables;
    const std::vector<std::string>& marked_names; ///< of scopes, marks and pools, by number
    double ns_per_tick = 1;
    double busy = 1; ///< share of the threads' time in which a processor worked
    bool shows_scopes = true;
    bool is_sample = false;                ///< some blocks of the process are not recorded
    std::vector<scope_id> listed{};        ///< the functions among the document's scopes, by id
    std::vector<scope_detail> details{};   ///< of each listed function
    std::vector<std::size_t> suppressed{}; ///< by call, the pattern of its leaks; without patterns empty

    [[nodiscard]] bool is_suppressed(call_id call) const {
        return !suppressed.empty() && suppressed[call] != suppressions::none;
    }
};

void write_scopes(json_writer& json, const report_source& source);
/// Effects: writes the sites, all or the heaviest ones, and the lists of leaks, temporary allocations and the peak.
void write_sites(json_writer& json, const report_source& source, bool all_rows);
/// Effects: writes the patterns that suppress leaks, with their blocks.
void write_suppressions(json_writer& json, const report_source& source,
                        std::span<const std::string> patterns);
void write_pairs(json_writer& json, const report_source& source);
void write_iterations(json_writer& json, const report_source& source);
void write_owners(json_writer& json, const report_source& source);
void write_almost_contained(json_writer& json, const report_source& source);
void write_already_pooled(json_writer& json, const report_source& source);
/// Effects: writes the calls of malloc_trim and the like by site, those that took longest first.
void write_control_calls(json_writer& json, const report_source& source);
/// Effects: writes the large blocks whose resident pages were counted by site, those with most other pages first.
void write_large_blocks(json_writer& json, const report_source& source);
void write_markers(json_writer& json, const report_source& source, std::uint64_t names_lost);
void write_pools(json_writer& json, const report_source& source);
/// Effects: writes live bytes over time, and the samples of the process's resident memory.
void write_timeline(json_writer& json, const report_source& source,
                    std::span<const trace::memory_sample> memory, std::uint64_t first_ticks);
void write_lifetimes(json_writer& json, const report_source& source);
void write_flame(json_writer& json, const report_source& source);

/// Effects: writes the row of a function as a scope.
void write_scope(json_writer& json, const report_source& source, std::size_t id, std::size_t most_rows);

/// Effects: write the sites and the pairs of the blocks of one function.
void write_scope_sites(json_writer& json, const report_source& source, scope_id scope);
void write_scope_pairs(json_writer& json, const report_source& source, scope_id scope);

/// Effects: writes the call of a site as fields, unless its code is in no file.
void write_instruction(json_writer& json, const report_source& source, std::uint64_t site);

/// Returns: the figures of a marked scope.
figure_sums marked_sums(const marked_stacks& marked, scope_id scope);
/// Effects: writes the row of a marked scope.
void write_marked_scope(json_writer& json, const report_source& source, scope_id scope);
/// Returns: the name of a marked scope.
std::string marked_name(const report_source& source, scope_id scope);

/// Returns: for each call the bits of the scopes that contain it: bit n for scope n. At most 64 scopes.
std::vector<std::uint64_t> scopes_by_call(const report_source& source, const std::vector<scope_id>& scopes);

/// Blocks by the address of their site.
using site_blocks = std::map<std::uint64_t, block_count>;
/// Effects: writes the sites with the most blocks, these first.
void write_site_blocks(json_writer& json, std::string_view key, const report_source& source,
                       const site_blocks& sites, std::size_t most);

/// The scope of the section that describes one scope with its sites, pairs and callers.
struct scope_match {
    bool is_marked = false;
    scope_id scope = 0;
};

/// Returns: the scope with that name, full or short, or else the only scope whose name contains it. Marked scopes
/// come first.
/// Throws: unknown_scope if there is none, or if there are several. `withheld` is the reason for which functions are
/// not scopes; empty if they are.
scope_match find_scope(const report_source& source, const std::string& name, const std::string& withheld);

/// Effects: writes the field `scope`.
/// Requires: a function is in `source.listed`.
void write_scope_in_depth(json_writer& json, const report_source& source, const scope_match& scope);

/// The completeness of the recording.
struct completeness {
    std::uint64_t complete = 0; ///< events
    std::string reason;         ///< the reason for withholding scopes; empty if they are shown
};

completeness measure_completeness(const analysis& results, const trace::process& process);

void write_trace_and_processes(json_writer& json, const report_request& request);
void write_process(json_writer& json, const analysis& results, const report_request& request);
void write_completeness(json_writer& json, const analysis& results, const completeness& summary);

} // namespace mallard::advisor

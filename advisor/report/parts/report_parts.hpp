/// The parts of the document, each written by a function of its own. docs/advisor/profile_format.md describes them.
#pragma once

#include "advisor/analysis/analysis.hpp"
#include "advisor/report/call_sites.hpp"
#include "advisor/report/json_writer.hpp"
#include "advisor/report/name_tables.hpp"
#include "advisor/report/scope_details.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

/// What all parts are written from.
struct report_source {
    const analysis& of;
    code_names& names;
    call_sites& sites;
    name_tables& tables;
    const std::vector<std::string>& marked_names; ///< of scopes, marks and pools, by number
    double ns_per_tick = 1;
    double busy = 1; ///< share of the threads' time for which a processor worked
    bool shows_scopes = true;
    std::vector<scope_id> listed{};      ///< functions that are scopes of the document, by id
    std::vector<scope_detail> details{}; ///< of each of them
};

void write_scopes(json_writer& to, const report_source& from);
void write_sites(json_writer& to, const report_source& from);
void write_pairs(json_writer& to, const report_source& from);
void write_iterations(json_writer& to, const report_source& from);
void write_owners(json_writer& to, const report_source& from);
void write_almost_contained(json_writer& to, const report_source& from);
void write_already_pooled(json_writer& to, const report_source& from);
void write_markers(json_writer& to, const report_source& from, std::uint64_t names_lost);
void write_pools(json_writer& to, const report_source& from);
void write_timeline(json_writer& to, const report_source& from);
void write_lifetimes(json_writer& to, const report_source& from);
void write_flame(json_writer& to, const report_source& from);

/// Effects: writes the row of a scope that is a function.
void write_scope(json_writer& to, const report_source& from, std::size_t id, std::size_t most_rows);

/// Effects: write the sites and pairs of one function's blocks.
void write_sites_of(json_writer& to, const report_source& from, scope_id scope);
void write_pairs_of(json_writer& to, const report_source& from, scope_id scope);

/// Returns: the figures of a marked scope.
figure_sums marked_sums(const marked_stacks& marked, scope_id scope);
/// Effects: writes the row of a marked scope.
void write_marked_scope(json_writer& to, const report_source& from, scope_id scope);
/// Returns: the name of a marked scope.
std::string marked_name(const report_source& from, scope_id scope);

/// Returns: for the node of each function of a listed scope a bit; for other nodes those of their parents. At most 64 scopes.
std::vector<std::uint64_t> scopes_by_node(const scope_tree& stacks, const std::vector<scope_id>& scopes);

/// Places with their blocks, the heaviest first.
struct site_blocks {
    std::unordered_map<std::uint64_t, block_count> by_address;
};
void write_site_blocks(json_writer& to, std::string_view key, const report_source& from,
                       const site_blocks& sites, std::size_t most);

} // namespace mallard::advisor

#include "advisor/report/profile_report.hpp"

#include "advisor/report/parts/report_parts.hpp"
#include "advisor/report/parts/scope_search.hpp"
#include "advisor/report/parts/write_process.hpp"

#include <algorithm>
#include <numeric>

namespace mallard::advisor {

namespace {

void write_whole(json_writer& to, const report_source& from) {
    figure_sums sums;
    for (const call_totals& call : from.of.calls().all()) {
        sums.add(call);
    }
    for (const call_table::class_totals& each : from.of.calls().further_classes()) {
        sums.add(each);
    }
    to.key("figures");
    write_figures(to, sums,
                  {from.ns_per_tick, from.of.threads(), &from.of.whole(), from.of.thread_ticks(), from.busy});
    to.key("foreign").begin_object().field("frees", from.of.counted().foreign_frees);
    to.field("double_allocations", from.of.counted().double_allocations).end_object();
}

/// A program that waits, or whose processor has other work, is not in its allocator meanwhile. No scope's own CPU time is
/// known, so each has the share of the process.
double busy_share(const analysis& of, const trace::process& process, double ns_per_tick) noexcept {
    const double elapsed = static_cast<double>(of.thread_ticks()) * ns_per_tick;
    const auto worked = static_cast<double>(process.cpu_nanoseconds);
    return worked > 0 && worked < elapsed ? worked / elapsed : 1;
}

} // namespace

std::string profile_report(const analysis& of, code_names& names, const report_request& request) {
    const trace::process& process = request.processes[request.chosen];
    const completeness complete = completeness_of(of, process);
    name_tables tables(names, of.stacks().contexts());
    call_sites sites(names, of.stacks(), of.calls());
    report_source from{of, names, sites, tables, request.marked_names};
    from.ns_per_tick = process.ticks_per_second > 0 ? 1e9 / process.ticks_per_second : 1;
    from.busy = busy_share(of, process, from.ns_per_tick);
    from.shows_scopes = complete.reason.empty();
    if (from.shows_scopes) {
        from.listed = heaviest_scopes(of.scopes());
    }
    std::optional<found_scope> in_depth;
    if (request.scope) {
        in_depth = find_scope(from, *request.scope, complete.reason);
        if (!in_depth->is_marked &&
            std::find(from.listed.begin(), from.listed.end(), in_depth->scope) == from.listed.end()) {
            from.listed.push_back(in_depth->scope);
        }
    }
    from.details = scope_details(of, sites, from.listed).all();

    // The tables of names come last, when all parts have named their rows.
    json_writer to;
    to.begin_object().field("format", "mallard profile").field("version", 1U);
    write_trace_and_processes(to, request);
    write_process(to, of, process);
    write_completeness(to, of, complete);
    write_whole(to, from);
    write_scopes(to, from);
    write_sites(to, from);
    write_pairs(to, from);
    write_iterations(to, from);
    write_owners(to, from);
    write_almost_contained(to, from);
    write_already_pooled(to, from);
    write_markers(to, from, process.names_lost);
    write_pools(to, from);
    write_timeline(to, from);
    write_lifetimes(to, from);
    write_flame(to, from);
    if (in_depth) {
        write_scope_in_depth(to, from, *in_depth);
    }
    to.key("warnings").begin_list();
    for (const std::string& warning : names.warnings()) {
        to.value(warning);
    }
    to.end_list();
    tables.write(to);
    to.end_object();
    return to.text() + '\n';
}

} // namespace mallard::advisor

#include "profiler/report/profile_report.hpp"

#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <numeric>

namespace mallard::advisor {

namespace {

void write_process_figures(json_writer& to, const report_source& source) {
    figure_sums sums;
    for (const call_totals& call : source.results.calls().all()) {
        sums.add(call);
    }
    for (const call_table::class_totals& call_class : source.results.calls().further_classes()) {
        sums.add(call_class);
    }
    to.key("figures");
    write_figures(to, sums,
                  {source.ns_per_tick, source.results.threads(), &source.results.process_totals(),
                   source.results.thread_ticks(), source.busy});
    to.key("foreign").begin_object().field("frees", source.results.counted().foreign_frees);
    to.field("double_allocations", source.results.counted().double_allocations).end_object();
}

/// A waiting program is not in its allocator. The CPU time of a scope is unknown, so all scopes have the share of the
/// process.
double busy_share(const analysis& results, const trace::process& process, double ns_per_tick) noexcept {
    const double elapsed = static_cast<double>(results.thread_ticks()) * ns_per_tick;
    const auto worked = static_cast<double>(process.cpu_nanoseconds);
    return worked > 0 && worked < elapsed ? worked / elapsed : 1;
}

std::string shared_stacks_warning(const call_table& calls) {
    std::string text =
        "after " + std::to_string(calls.most_calls()) + " different stacks, " +
        std::to_string(calls.shared_contexts()) +
        " more were put together with stacks that differ from them only inside of a recursion; the "
        "stacks and peaks of sites are approximate";
    if (calls.all().size() > 2 * calls.most_calls()) {
        text += ", and so are the sizes and the escapes of scopes, because there were too many even so";
    }
    return text;
}

/// Returns: for each call with live blocks the pattern that suppresses them.
std::vector<std::size_t> find_suppressed(const analysis& results, code_names& names,
                                         std::span<const std::string> patterns) {
    suppressions leaks(patterns, names, results.stacks().contexts());
    std::vector<std::size_t> by_call;
    for (const call_totals& call : results.calls().all()) {
        by_call.push_back(call.allocations == call.freed ? suppressions::none : leaks.find(call.context));
    }
    return by_call;
}

} // namespace

std::string profile_report(const analysis& results, code_names& names, const report_request& request) {
    const trace::process& process = request.processes[request.chosen];
    const completeness summary = measure_completeness(results, process);
    name_tables tables(names, results.stacks().contexts());
    call_sites sites(names, results.stacks(), results.calls());
    report_source source{results, names, sites, tables, request.marked_names};
    source.ns_per_tick = process.ticks_per_second > 0 ? 1e9 / process.ticks_per_second : 1;
    source.busy = busy_share(results, process, source.ns_per_tick);
    source.shows_scopes = summary.reason.empty();
    source.is_sample = process.sampled_one_in > 1;
    if (source.shows_scopes) {
        source.listed =
            request.all_rows ? allocating_scopes(results.scopes()) : heaviest_scopes(results.scopes());
    }
    std::optional<scope_match> in_depth;
    if (request.scope) {
        in_depth = find_scope(source, *request.scope, summary.reason);
        if (!in_depth->is_marked &&
            std::ranges::find(source.listed, in_depth->scope) == source.listed.end()) {
            source.listed.push_back(in_depth->scope);
        }
    }
    if (request.suppressions) {
        source.suppressed = find_suppressed(results, names, *request.suppressions);
    }
    source.details = scope_details(results, sites, source.listed).all();

    // The tables of names come last, when all parts have added their rows.
    json_writer to;
    to.begin_object().field("format", "mallard profile").field("version", 1U);
    write_trace_and_processes(to, request);
    write_process(to, results, request);
    write_completeness(to, results, summary);
    write_process_figures(to, source);
    write_scopes(to, source);
    write_sites(to, source, request.all_rows);
    if (request.suppressions) {
        write_suppressions(to, source, *request.suppressions);
    }
    write_pairs(to, source);
    write_iterations(to, source);
    write_owners(to, source);
    write_almost_contained(to, source);
    write_already_pooled(to, source);
    write_control_calls(to, source);
    write_large_blocks(to, source);
    write_markers(to, source, process.names_lost);
    write_pools(to, source);
    write_timeline(to, source, request.memory, process.first_ticks);
    write_lifetimes(to, source);
    write_flame(to, source);
    if (in_depth) {
        write_scope_in_depth(to, source, *in_depth);
    }
    to.key("warnings").begin_list();
    if (const call_table& calls = results.calls(); calls.shared_contexts() != 0) {
        to.value(shared_stacks_warning(calls));
    }
    for (const std::string& warning : names.warnings()) {
        to.value(warning);
    }
    to.end_list();
    tables.write(to);
    to.end_object();
    return to.text() + '\n';
}

} // namespace mallard::advisor

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
    figure_setting setting{source.ns_per_tick, source.results.threads(), nullptr, 0};
    if (!source.results.range().is_part()) {
        setting.scope = &source.results.process_totals();
        setting.ticks = source.results.thread_ticks();
        setting.busy = source.busy;
    }
    write_figures(to, sums, setting);
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

/// Effects: writes the analysed part of the time, if it is one.
void write_between(json_writer& to, const report_source& source) {
    const analysis::time_range& range = source.results.range();
    if (!range.is_part()) {
        return;
    }
    const auto seconds = [&](std::uint64_t ticks) {
        return static_cast<double>(ticks) * source.ns_per_tick * 1e-9;
    };
    const analysis::live_count begin = source.results.live_at_begin(), end = source.results.live_at_end();
    to.key("between").begin_object();
    to.field("begin_seconds", seconds(range.begin_ticks)).field("end_seconds", seconds(range.end()));
    write(to, "live_at_begin", {begin.blocks, begin.bytes});
    write(to, "live_at_end", {end.blocks, end.bytes});
    to.end_object();
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
        by_call.push_back(call.live() == 0 ? suppressions::none : leaks.find(call.context));
    }
    return by_call;
}

} // namespace

std::string profile_report(const analysis& results, code_names& names, const report_request& request) {
    const trace::process& process = request.processes[request.chosen];
    completeness summary = measure_completeness(results, process);
    const bool is_part = results.range().is_part();
    if (is_part) {
        summary.reason =
            "Scopes, lifetimes, pairs and the dimensions but V are of whole activations and lives, so "
            "--between leaves them out.";
    }
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
    write_between(to, source);
    write_scopes(to, source);
    write_sites(to, source, request.all_rows);
    if (request.suppressions) {
        write_suppressions(to, source, *request.suppressions);
    }
    if (is_part) {
        to.key("pairs").begin_list().end_list();
    } else {
        write_pairs(to, source);
    }
    write_iterations(to, source);
    write_owners(to, source);
    write_almost_contained(to, source);
    if (is_part) {
        to.key("already_pooled").begin_list().end_list();
    } else {
        write_already_pooled(to, source);
    }
    write_control_calls(to, source);
    if (!is_part) {
        write_large_blocks(to, source);
        write_markers(to, source, process.names_lost);
        write_pools(to, source);
    }
    write_timeline(to, source, request.memory, process.first_ticks);
    if (!is_part) {
        write_lifetimes(to, source);
    }
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

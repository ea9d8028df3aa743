#include "profiler/report/profile_report.hpp"

#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <numeric>

namespace mallard::advisor {

namespace {

void write_process_figures(json_writer& json, const report_source& source) {
    figure_sums sums;
    for (const call_totals& call : source.results.calls().all()) {
        sums.add(call);
    }
    for (const call_table::class_totals& call_class : source.results.calls().further_classes()) {
        sums.add(call_class);
    }
    json.key("figures");
    figure_setting setting{source.ns_per_tick, source.results.threads(), nullptr, 0};
    if (!source.results.range().is_part()) {
        setting.scope = &source.results.process_totals();
        setting.ticks = source.results.thread_ticks();
        setting.busy = source.busy;
    }
    write_figures(json, sums, setting);
    json.key("foreign").begin_object().field("frees", source.results.counted().foreign_frees);
    json.field("double_allocations", source.results.counted().double_allocations).end_object();
}

/// A waiting program is not in its allocator. The CPU time of a scope is unknown, so all scopes have the share of the
/// process.
double busy_share(const analysis& results, const trace::process& process, double ns_per_tick) noexcept {
    const double elapsed = static_cast<double>(results.thread_ticks()) * ns_per_tick;
    const auto worked = static_cast<double>(process.cpu_nanoseconds);
    return worked > 0 && worked < elapsed ? worked / elapsed : 1;
}

/// Effects: writes the analysed part of the time, if it is one.
void write_between(json_writer& json, const report_source& source) {
    const analysis::time_range& range = source.results.range();
    if (!range.is_part()) {
        return;
    }
    const auto seconds = [&](std::uint64_t ticks) {
        return static_cast<double>(ticks) * source.ns_per_tick * 1e-9;
    };
    const analysis::live_count begin = source.results.live_at_begin(), end = source.results.live_at_end();
    json.key("between").begin_object();
    json.field("begin_seconds", seconds(range.begin_ticks)).field("end_seconds", seconds(range.end()));
    write(json, "live_at_begin", {begin.blocks, begin.bytes});
    write(json, "live_at_end", {end.blocks, end.bytes});
    json.end_object();
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
    json_writer json;
    json.begin_object().field("format", "mallard profile").field("version", 1U);
    write_trace_and_processes(json, request);
    write_process(json, results, request);
    write_completeness(json, results, summary);
    write_process_figures(json, source);
    write_between(json, source);
    write_scopes(json, source);
    write_sites(json, source, request.all_rows);
    if (request.suppressions) {
        write_suppressions(json, source, *request.suppressions);
    }
    if (is_part) {
        json.key("pairs").begin_list().end_list();
    } else {
        write_pairs(json, source);
    }
    write_iterations(json, source);
    write_owners(json, source);
    write_almost_contained(json, source);
    if (is_part) {
        json.key("already_pooled").begin_list().end_list();
    } else {
        write_already_pooled(json, source);
    }
    write_control_calls(json, source);
    if (!is_part) {
        write_large_blocks(json, source);
        write_markers(json, source, process.names_lost);
        write_pools(json, source);
    }
    write_timeline(json, source, request.memory, process.first_ticks);
    if (!is_part) {
        write_lifetimes(json, source);
    }
    write_flame(json, source);
    if (in_depth) {
        write_scope_in_depth(json, source, *in_depth);
    }
    json.key("warnings").begin_list();
    if (const call_table& calls = results.calls(); calls.shared_contexts() != 0) {
        json.value(shared_stacks_warning(calls));
    }
    for (const std::string& warning : names.warnings()) {
        json.value(warning);
    }
    json.end_list();
    tables.write(json);
    json.end_object();
    return json.text() + '\n';
}

} // namespace mallard::advisor

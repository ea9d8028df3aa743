#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>

namespace mallard::advisor {

namespace {

std::string mark_name(const report_source& source, std::uint64_t number) {
    if (number < source.marked_names.size() && !source.marked_names[number].empty()) {
        return source.marked_names[number];
    }
    return number == 0 ? "(no name)" : "(name " + std::to_string(number) + ")";
}

} // namespace

std::string marked_name(const report_source& source, scope_id scope) {
    const marked_stacks::marked_scope& known = source.results.marked().known()[scope];
    if (known.is_function) {
        return source.names.function(static_cast<scope_id>(known.number)).name;
    }
    return mark_name(source, known.number);
}

figure_sums marked_sums(const marked_stacks& marked, scope_id scope) {
    figure_sums sums;
    const scope_tree& stacks = marked.stacks();
    const auto is_inside = [&](trace::context_id node) {
        node = stacks.counting(node);
        while (node >= trace::stack_ends && stacks.function(node) != scope) {
            node = stacks.counting_outside(node);
        }
        return node >= trace::stack_ends;
    };
    const std::span<const call_totals> calls = marked.calls().all();
    for (const call_totals& call : calls) {
        if (is_inside(call.context)) {
            sums.add(call);
        }
    }
    for (const call_table::class_totals& call_class : marked.calls().further_classes()) {
        if (is_inside(calls[call_class.call].context)) {
            sums.add(call_class);
        }
    }
    return sums;
}

void write_marked_scope(json_writer& json, const report_source& source, scope_id scope) {
    const scope_totals& totals = source.results.marked().scopes()[scope];
    json.begin_object().field("name", name_tables::shortened(marked_name(source, scope)));
    json.field("kind", source.results.marked().known()[scope].is_function ? "function" : "marker")
        .key("figures");
    write_figures(json, marked_sums(source.results.marked(), scope),
                  {source.ns_per_tick, source.results.threads(), &totals, totals.ticks, source.busy});
    write_activations(json, totals, source.ns_per_tick);
    json.key("diffusion").value(json_writer::null{});
    json.end_object();
}

void write_markers(json_writer& json, const report_source& source, std::uint64_t names_lost) {
    constexpr std::size_t most_scopes = 100, most_rows = 200;
    const marked_stacks& marked = source.results.marked();
    std::vector<scope_id> scopes;
    scopes.reserve(marked.known().size());
    for (std::size_t scope = 0; scope < marked.known().size(); ++scope) {
        scopes.push_back(static_cast<scope_id>(scope));
    }
    // Scopes that the program marks come first.
    std::ranges::stable_sort(scopes, [&](scope_id left, scope_id right) {
        if (marked.known()[left].is_function != marked.known()[right].is_function) {
            return marked.known()[right].is_function;
        }
        return marked.scopes()[left].owned > marked.scopes()[right].owned;
    });
    scopes.resize(std::min(scopes.size(), most_scopes));
    json.key("markers").begin_object().key("scopes").begin_list();
    for (const scope_id scope : scopes) {
        write_marked_scope(json, source, scope);
    }
    json.end_list().key("instances").begin_list();
    std::size_t rows = 0;
    for (const auto& [name, sums] : source.results.all_instances().by_name()) {
        if (++rows > most_rows) {
            break;
        }
        json.begin_object().field("name", mark_name(source, name)).field("instances", sums.instances);
        json.field("allocations", sums.allocated.blocks).field("bytes", sums.allocated.bytes);
        write(json, "contained", {sums.contained.blocks, sums.contained.bytes});
        write(json, "escaped", {sums.escaped.blocks, sums.escaped.bytes});
        write(json, "alive",
              {sums.allocated.blocks - sums.contained.blocks - sums.escaped.blocks,
               sums.allocated.bytes - sums.contained.bytes - sums.escaped.bytes});
        json.end_object();
    }
    json.end_list().key("progress").begin_list();
    rows = 0;
    for (const auto& [name, count] : source.results.progress()) {
        if (++rows > most_rows) {
            break;
        }
        json.begin_object().field("name", mark_name(source, name)).field("count", count.marks);
        const auto gaps = static_cast<double>(count.marks - 1);
        const double seconds =
            static_cast<double>(count.last_ticks - count.first_ticks) * source.ns_per_tick * 1e-9;
        json.optional_field("per_second", gaps > 0 && seconds > 0, [&] { return gaps / seconds; });
        json.optional_field("allocations_between", gaps > 0, [&] {
            return static_cast<double>(count.last_allocation - count.first_allocation) / gaps;
        });
        json.end_object();
    }
    json.end_list()
        .field("unmatched_ends", marked.unmatched_ends())
        .field("names_lost", names_lost)
        .end_object();
}

void write_pools(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 200;
    json.key("pools").begin_list();
    std::size_t rows = 0;
    for (const auto& [name, sums] : source.results.pools().by_name()) {
        if (++rows > most_rows) {
            break;
        }
        json.begin_object().field("name", mark_name(source, name)).field("pools", sums.pools);
        json.field("allocations", sums.allocations).field("bytes", sums.bytes).field("frees", sums.frees);
        json.field("releases", sums.releases).field("peak_bytes", sums.peak_bytes);
        json.key("wrong_frees").begin_object().field("of_other", sums.wrong_pool_frees);
        json.field("of_malloc", sums.malloc_block_frees).field("after_end", sums.stale_frees);
        json.field("by_malloc", sums.frees_by_malloc);
        json.optional_field("first", sums.first_wrong != 0,
                            [&] { return source.tables.stack(sums.first_wrong); });
        json.end_object().end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor

#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>

namespace mallard::advisor {

namespace {

/// The sites with the most blocks, by address.
void write_site_list(json_writer& json, std::string_view key, const report_source& source,
                     const std::map<std::uint64_t, block_count>& by_address, std::size_t most_rows) {
    json.key(key).begin_list();
    for (const auto& [address, blocks] : heaviest(by_address, most_rows)) {
        json.begin_object().field("site", source.tables.place(address));
        json.field("allocations", blocks.allocations).field("bytes", blocks.bytes);
        write_instruction(json, source, address);
        json.end_object();
    }
    json.end_list();
}

void write_escapes(json_writer& json, const report_source& source, const scope_detail& detail,
                   std::size_t most_rows) {
    std::vector<std::pair<escape_key, escape_sums>> escapes(detail.escapes.begin(), detail.escapes.end());
    std::ranges::stable_sort(escapes, [](const auto& left, const auto& right) {
        return left.second.blocks.allocations > right.second.blocks.allocations;
    });
    escapes.resize(std::min(escapes.size(), most_rows));
    json.key("escapes").begin_list();
    for (const auto& [key, sums] : escapes) {
        const bool is_known = key.by != no_scope;
        json.begin_object().field("allocations", sums.blocks.allocations).field("bytes", sums.blocks.bytes);
        json.optional_field("freed_by", is_known, [&] { return source.tables.function(key.by); });
        json.optional_field("freed_at", is_known, [&] { return source.tables.place(key.at); });
        json.optional_field("container", key.into != no_scope,
                            [&] { return source.tables.function(key.into); });
        json.field("thread", key.elsewhere ? "other" : "same");
        json.optional_field("stack", sums.example != no_call, [&] {
            return source.tables.stack(source.results.calls().all()[sums.example].context);
        });
        json.end_object();
    }
    json.end_list();

    write_site_list(json, "escape_sites", source, detail.escape_sites, most_rows);
    write_site_list(json, "alive_sites", source, detail.alive_sites, most_rows);
}

void write_page_figures(json_writer& json, const report_source& source, const page_figures& figures) {
    json.begin_object().field("seconds", static_cast<double>(figures.ticks) * source.ns_per_tick * 1e-9);
    json.field("live_bytes", figures.bytes).field("pages", figures.pages);
    json.field("pages_needed", figures.needed()).field("pages_shared", figures.shared).end_object();
}

/// The blocks that a sample leaves out lie on the same pages, so that the figures of one would be of the sample.
void write_diffusion(json_writer& json, const report_source& source, scope_id function) {
    const page_figures peak = source.results.pages().at_peak(function);
    json.key("diffusion");
    if (source.is_sample || peak.pages == 0) {
        json.value(json_writer::null{});
        return;
    }
    json.begin_object().key("peak");
    write_page_figures(json, source, peak);
    json.key("over_time").begin_list();
    for (const page_figures& figures : source.results.pages().over_time(function)) {
        write_page_figures(json, source, figures);
    }
    json.end_list().end_object();
}

} // namespace

void write_scope(json_writer& json, const report_source& source, std::size_t id, std::size_t most_rows) {
    const scope_id function = source.listed[id];
    const scope_totals& totals = source.results.scopes()[function];
    json.begin_object().field("id", id).field("function", source.tables.function(function));
    json.key("figures");
    write_figures(json, source.details[id].sums,
                  {source.ns_per_tick, source.results.threads(), &totals, totals.ticks, source.busy});
    write_activations(json, totals, source.ns_per_tick);
    write_diffusion(json, source, function);
    write_escapes(json, source, source.details[id], most_rows);
    json.end_object();
}

void write_scopes(json_writer& json, const report_source& source) {
    constexpr std::size_t most_escapes = 12;
    json.key("scopes").begin_list();
    for (std::size_t id = 0; id < source.listed.size(); ++id) {
        write_scope(json, source, id, most_escapes);
    }
    json.end_list();

    std::vector<bool> is_listed(source.results.scopes().size());
    for (const scope_id function : source.listed) {
        is_listed[function] = true;
    }
    std::uint64_t unlisted = 0, most = 0;
    for (std::size_t function = 0; source.shows_scopes && function < is_listed.size(); ++function) {
        const scope_totals& scope = source.results.scopes()[function];
        if (is_listed[function] || scope.allocating == 0) {
            continue;
        }
        ++unlisted;
        most = std::max(most, scope.allocations);
    }
    json.key("scopes_not_listed").begin_object();
    json.field("scopes", unlisted).field("most_allocations", most).end_object();
}

std::vector<std::uint64_t> scopes_by_call(const report_source& source, const std::vector<scope_id>& scopes) {
    const scope_tree& stacks = source.results.stacks();
    const call_nodes& nodes = source.sites.nodes();
    std::vector<std::uint64_t> bit_by_function(stacks.functions());
    for (std::size_t at = 0; at < std::min<std::size_t>(scopes.size(), 64); ++at) {
        bit_by_function[scopes[at]] = std::uint64_t{1} << at;
    }
    std::vector<std::uint64_t> bits(nodes.size());
    nodes.for_each([&](trace::context_id node) {
        if (trace::is_complete(stacks.end(node))) {
            bits[nodes.index(node)] =
                bits[nodes.index(stacks.contexts().parent(node))] | bit_by_function[stacks.function(node)];
        }
    });
    std::vector<std::uint64_t> by_call;
    for (const call_totals& call : source.results.calls().all()) {
        by_call.push_back(bits[nodes.index(call.context)]);
    }
    return by_call;
}

} // namespace mallard::advisor

/// Scopes that contain nearly all of their blocks, and sites that allocate chunks of the program's own pools.
#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace mallard::advisor {

namespace {

constexpr double region_ns_per_block = 4;
constexpr double page_ns = 250;
constexpr double least_containment = 0.8;
constexpr std::uint64_t least_freed = 10;

void write_break_even(json_writer& json, const scope_detail& detail, const scope_totals& scope,
                      double ns_per_tick) {
    json.key("break_even");
    const double saved = 2 * detail.sums.ticks_per_operation() * ns_per_tick - region_ns_per_block;
    const auto activations = static_cast<double>(scope.allocating);
    const double cost = static_cast<double>(scope.pages) / activations * page_ns;
    if (!(saved > 0)) {
        json.value(json_writer::null{});
        return;
    }
    json.begin_object().field("share", cost * activations / (saved * static_cast<double>(scope.allocations)));
    json.field("saved_ns_per_block", saved).field("cost_ns_per_activation", cost).end_object();
}

/// Sums over the calls of a site.
struct chunk_site {
    std::uint64_t address = 0;
    call_id example = no_call;
    block_count all;
    std::uint64_t freed = 0;
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint64_t largest = 0;
    std::uint64_t most_live = 0;
    std::uint64_t shrinks = 0;
};

bool has_pool_name(std::string name) {
    static constexpr std::array<std::string_view, 9> terms{"arena", "pool", "slab",    "chunk",    "region",
                                                           "bump",  "zone", "obstack", "monotonic"};
    std::ranges::transform(name, name.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return std::ranges::any_of(terms,
                               [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

/// True if one of the call's innermost functions has a pool's name.
bool is_named(const report_source& source, call_id call) {
    constexpr unsigned levels = 5;
    const scope_tree& stacks = source.results.stacks();
    trace::context_id node = source.results.calls().all()[call].context;
    for (unsigned level = 0; level < levels && node >= trace::stack_ends; ++level) {
        if (has_pool_name(source.names.short_name(stacks.function(node)))) {
            return true;
        }
        node = stacks.contexts().parent(node);
    }
    return false;
}

std::vector<chunk_site> chunk_sites(const report_source& source) {
    std::unordered_map<std::uint64_t, chunk_site> by_address;
    const std::span<const call_totals> calls = source.results.calls().all();
    for (std::size_t at = 0; at < calls.size(); ++at) {
        const call_totals& call = calls[at];
        if (call.allocations == 0) {
            continue;
        }
        const std::uint64_t address = source.sites.address(static_cast<call_id>(at));
        chunk_site& site = by_address[address];
        site.address = address;
        if (site.example == no_call || calls[site.example].bytes < call.bytes) {
            site.example = static_cast<call_id>(at);
        }
        site.all.add(call.allocations, call.bytes);
        site.freed += call.freed;
        site.smallest = std::min(site.smallest, call.smallest);
        site.largest = std::max(site.largest, call.largest);
        site.most_live += call.most_live;
        site.shrinks += call.shrinks;
    }
    std::vector<chunk_site> sites;
    sites.reserve(by_address.size());
    for (const auto& [address, site] : by_address) {
        sites.push_back(site);
    }
    return sites;
}

} // namespace

void write_almost_contained(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 30, most_sites = 6;
    json.key("almost_contained").begin_list();
    std::size_t rows = 0;
    for (std::size_t id = 0; id < source.listed.size() && rows < most_rows; ++id) {
        const scope_totals& scope = source.results.scopes()[source.listed[id]];
        const scope_detail& detail = source.details[id];
        const std::uint64_t freed = detail.sums.freed.allocations;
        if (freed < least_freed || scope.contained == freed) {
            continue;
        }
        const double containment = static_cast<double>(scope.contained) / static_cast<double>(freed);
        if (containment < least_containment) {
            continue;
        }
        ++rows;
        json.begin_object().field("scope", id).field("containment", containment);
        write_site_blocks(json, "escapes_from", source, detail.escape_sites, most_sites);
        write_break_even(json, detail, scope, source.ns_per_tick);
        json.end_object();
    }
    json.end_list();
}

void write_already_pooled(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 30;
    constexpr std::uint64_t least_bytes = 2000, least_bytes_of_named = 500;
    std::vector<std::pair<chunk_site, bool>> rows;
    for (const chunk_site& site : chunk_sites(source)) {
        const std::uint64_t mean = site.all.bytes / site.all.allocations;
        // Chunks accumulate; a growing buffer is freed once its successor is filled.
        if (mean < least_bytes_of_named || site.all.allocations < 2 ||
            site.most_live * 2 < site.all.allocations) {
            continue;
        }
        const bool named = is_named(source, site.example);
        const bool regular = site.smallest == site.largest || site.shrinks == 0;
        if (named || (mean >= least_bytes && regular)) {
            rows.emplace_back(site, named);
        }
    }
    std::ranges::sort(rows, [](const auto& left, const auto& right) {
        return left.first.all.bytes != right.first.all.bytes ? left.first.all.bytes > right.first.all.bytes
                                                             : left.first.address < right.first.address;
    });
    rows.resize(std::min(rows.size(), most_rows));
    json.key("already_pooled").begin_list();
    for (const auto& [site, named] : rows) {
        json.begin_object()
            .field("place", source.tables.place(site.address))
            .field("blocks", site.all.allocations);
        json.field("bytes", site.all.bytes).field("smallest", site.smallest).field("largest", site.largest);
        json.field("growing", site.largest > site.smallest && site.shrinks == 0);
        json.field("most_alive", site.most_live)
            .field("frees", site.freed)
            .field("named", named)
            .end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor

#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace mallard::advisor {

namespace {

std::string_view function_name(trace::record_kind kind) noexcept {
    switch (kind) {
    case trace::record_kind::malloc_trim:
        return "malloc_trim";
    case trace::record_kind::mallinfo:
        return "mallinfo";
    case trace::record_kind::mallinfo2:
        return "mallinfo2";
    default:
        return "mallopt";
    }
}

/// The calls of a function from one site.
struct control_site {
    std::uint64_t address = 0;
    trace::record_kind kind = trace::record_kind::malloc_trim;
    analysis::control_count all;
    call_id longest = no_call; ///< the call that took most of the time
    double longest_ticks = 0;
};

std::vector<control_site> control_sites(const report_source& source) {
    std::map<std::pair<std::uint64_t, trace::record_kind>, control_site> by_address;
    for (const auto& [key, count] : source.results.controls()) {
        const auto& [call, kind] = key;
        const std::uint64_t address = source.sites.address(call);
        control_site& site = by_address[{address, kind}];
        site.address = address;
        site.kind = kind;
        site.all.calls += count.calls;
        site.all.ticks_inside += count.ticks_inside;
        if (site.longest == no_call || count.ticks_inside > site.longest_ticks) {
            site.longest = call;
            site.longest_ticks = count.ticks_inside;
        }
    }
    std::vector<control_site> sites;
    sites.reserve(by_address.size());
    for (const auto& [key, site] : by_address) {
        sites.push_back(site);
    }
    std::ranges::stable_sort(sites, std::ranges::greater{},
                             [](const control_site& site) { return site.all.ticks_inside; });
    return sites;
}

} // namespace

void write_control_calls(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 60;
    std::vector<control_site> sites = control_sites(source);
    sites.resize(std::min(sites.size(), most_rows));
    const std::span<const call_totals> calls = source.results.calls().all();
    json.key("control_calls").begin_list();
    for (const control_site& site : sites) {
        json.begin_object().field("name", function_name(site.kind));
        json.field("place", source.tables.place(site.address)).field("calls", site.all.calls);
        json.field("seconds", std::max(0.0, site.all.ticks_inside) * source.ns_per_tick * 1e-9);
        json.field("stack", source.tables.stack(calls[site.longest].context)).end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor

#include "profiler/report/parts/report_parts.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <vector>

namespace mallard::advisor {

namespace {

struct large_site {
    std::uint64_t address = 0;
    analysis::resident_count all;
    call_id example = no_call; ///< the call with the most bytes
    std::uint64_t example_bytes = 0;
};

double other_bytes(const large_site& site) noexcept {
    return static_cast<double>(site.all.bytes) - site.all.resident_bytes;
}

std::vector<large_site> large_sites(const report_source& source) {
    std::unordered_map<std::uint64_t, std::size_t> by_address;
    std::vector<large_site> sites;
    for (const auto& [call, count] : source.results.residents()) {
        const std::uint64_t address = source.sites.address(call);
        const auto [entry, is_new] = by_address.try_emplace(address, sites.size());
        if (is_new) {
            sites.emplace_back().address = address;
        }
        large_site& site = sites[entry->second];
        site.all.blocks += count.blocks;
        site.all.bytes += count.bytes;
        site.all.resident_bytes += count.resident_bytes;
        if (site.example == no_call || count.bytes > site.example_bytes) {
            site.example = call;
            site.example_bytes = count.bytes;
        }
    }
    std::ranges::stable_sort(sites, std::ranges::greater{}, other_bytes);
    return sites;
}

} // namespace

void write_large_blocks(json_writer& json, const report_source& source) {
    constexpr std::size_t most_rows = 60;
    std::vector<large_site> sites = large_sites(source);
    sites.resize(std::min(sites.size(), most_rows));
    const std::span<const call_totals> calls = source.results.calls().all();
    json.key("large_blocks").begin_list();
    for (const large_site& site : sites) {
        json.begin_object().field("place", source.tables.place(site.address));
        json.field("allocations", site.all.blocks).field("bytes", site.all.bytes);
        json.field("resident_bytes", static_cast<std::uint64_t>(site.all.resident_bytes));
        json.field("stack", source.tables.stack(calls[site.example].context)).end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor

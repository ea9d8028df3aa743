#include "profiler/report/parts/report_parts.hpp"
#include "profiler/scopes/size_class.hpp"

#include <algorithm>
#include <map>

namespace mallard::advisor {

namespace {

struct site {
    std::uint64_t address = 0;
    figure_sums sums;
    std::vector<call_id> calls;
    std::unordered_map<scope_id, block_count> owners;
    std::uint64_t peak_bytes = 0;
    std::uint64_t returns = 0;
    std::uint64_t grown = 0;
    std::uint64_t grown_from_bytes = 0;
    std::uint64_t grown_to_bytes = 0;
    std::map<std::uint32_t, std::uint64_t> outgrown; ///< blocks by size class
};

/// Effects: writes the number of blocks that no realloc has replaced by larger ones, and the size within which 99 % of them are.
void write_final_blocks(json_writer& json, const site& row) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> blocks;
    std::uint64_t all = 0;
    for (const auto& [size_class, count] : row.sums.sizes) {
        const auto entry = row.outgrown.find(size_class);
        blocks.emplace_back(size_class,
                            count.allocations - (entry == row.outgrown.end() ? 0 : entry->second));
        all += blocks.back().second;
    }
    json.field("final_allocations", all);
    std::uint64_t beyond = 0;
    while (!blocks.empty() && (beyond += blocks.back().second) * 100 <= all) {
        blocks.pop_back();
    }
    json.field("final_p99_bytes",
               blocks.empty() ? 0 : std::min(largest_size(blocks.back().first), row.sums.largest));
}

constexpr std::size_t no_site = static_cast<std::size_t>(-1);

/// Returns: the sites of the calls for which `belongs` is true.
template <class Filter>
std::vector<site> all_sites(const report_source& source, const Filter& belongs) {
    const std::span<const call_totals> calls = source.results.calls().all();
    std::vector<site> sites;
    std::unordered_map<std::uint64_t, std::size_t> by_address;
    std::vector<std::size_t> site_by_call(calls.size(), no_site);
    for (std::size_t call = 0; call < calls.size(); ++call) {
        const bool has_blocks =
            calls[call].allocations != 0 || calls[call].live() != 0 || calls[call].live_at_peak != 0;
        if (!has_blocks || !belongs(static_cast<call_id>(call))) {
            continue;
        }
        const std::uint64_t address = source.sites.address(static_cast<call_id>(call));
        const auto [entry, is_new] = by_address.try_emplace(address, sites.size());
        if (is_new) {
            sites.emplace_back().address = address;
        }
        site_by_call[call] = entry->second;
        site& site = sites[entry->second];
        site.sums.add(calls[call]);
        site.calls.push_back(static_cast<call_id>(call));
        site.peak_bytes += calls[call].most_live_bytes;
        site.returns += calls[call].returns;
        site.grown += calls[call].grown;
        site.grown_from_bytes += calls[call].grown_from_bytes;
        site.grown_to_bytes += calls[call].grown_to_bytes;
        site.outgrown[calls[call].first_class] += calls[call].first_class_outgrown;
    }
    for (const call_table::class_totals& call_class : source.results.calls().further_classes()) {
        if (site_by_call[call_class.call] != no_site) {
            site& site = sites[site_by_call[call_class.call]];
            site.sums.add(call_class);
            site.outgrown[call_class.size_class] += call_class.outgrown;
        }
    }
    for (const pair_totals& pair : source.results.pairs().all()) {
        if (pair.container != no_scope && site_by_call[pair.allocated] != no_site) {
            sites[site_by_call[pair.allocated]].owners[pair.container].add(pair.blocks, pair.bytes);
        }
    }
    return sites;
}

void write_site(json_writer& json, const report_source& source, site& row) {
    const std::span<const call_totals> calls = source.results.calls().all();
    json.begin_object().field("place", source.tables.place(row.address));
    write_instruction(json, source, row.address);
    json.key("figures");
    write_figures(json, row.sums, {source.ns_per_tick, source.results.threads(), nullptr, 0});

    const std::size_t shown = std::min<std::size_t>(row.calls.size(), 3);
    std::partial_sort(row.calls.begin(), row.calls.begin() + static_cast<std::ptrdiff_t>(shown),
                      row.calls.end(), [&](call_id left, call_id right) {
                          if (calls[left].allocations != calls[right].allocations) {
                              return calls[left].allocations > calls[right].allocations;
                          }
                          return left < right;
                      });
    json.key("stacks").begin_list();
    for (std::size_t at = 0; at < shown; ++at) {
        const call_totals& call = calls[row.calls[at]];
        json.begin_object().field("stack", source.tables.stack(call.context));
        json.field("allocations", call.allocations).field("bytes", call.bytes).end_object();
    }
    json.end_list().field("contexts", row.calls.size());

    json.key("owners").begin_list();
    for (const auto& [function, blocks] : heaviest(row.owners, 5)) {
        json.begin_object()
            .field("function", source.tables.function(function))
            .field("allocations", blocks.allocations)
            .field("bytes", blocks.bytes)
            .end_object();
    }
    json.end_list().field("peak_bytes", row.peak_bytes).field("returns", row.returns);
    json.key("growth").begin_object().field("allocations", row.grown);
    json.field("from_bytes", row.grown_from_bytes).field("to_bytes", row.grown_to_bytes);
    write_final_blocks(json, row);
    json.end_object().end_object();
}

/// Effects: moves the rows to show to the front, by allocations: the rows with the most allocations, and the ones
/// with the most bytes of the remaining rows.
/// Returns: the number of rows to show.
template <class Row, class Count>
std::size_t heaviest_first(std::vector<Row>& rows, std::size_t most_by_allocations, std::size_t most_by_bytes,
                           const Count& count) {
    const auto by_allocations = [&](const Row& left, const Row& right) {
        return count(left).allocations > count(right).allocations;
    };
    std::ranges::stable_sort(rows, by_allocations);
    const auto shown = static_cast<std::ptrdiff_t>(std::min(most_by_allocations, rows.size()));
    std::stable_sort(rows.begin() + shown, rows.end(), [&](const Row& left, const Row& right) {
        return count(left).bytes > count(right).bytes;
    });
    const auto end = std::min(shown + static_cast<std::ptrdiff_t>(most_by_bytes),
                              static_cast<std::ptrdiff_t>(rows.size()));
    std::stable_sort(rows.begin(), rows.begin() + end, by_allocations);
    return static_cast<std::size_t>(end);
}

void write_unlisted(json_writer& json, std::string_view key, std::string_view rows_key, std::size_t rows,
                    const block_count& sums) {
    json.key(key).begin_object().field(rows_key, rows);
    json.field("allocations", sums.allocations).field("bytes", sums.bytes).end_object();
}

block_count alive_blocks(const figure_sums& sums) {
    return {sums.all.allocations - sums.freed.allocations + sums.earlier.allocations,
            sums.all.bytes - sums.freed.bytes + sums.earlier.bytes};
}
block_count alive_blocks(const call_totals& call) {
    return {call.live(), call.live_bytes()};
}
block_count temporary_blocks(const figure_sums& sums) {
    return sums.temporary;
}
block_count temporary_blocks(const call_totals& call) {
    return {call.temporary, call.temporary_bytes};
}
block_count peak_blocks(const figure_sums& sums) {
    return sums.at_peak;
}
block_count peak_blocks(const call_totals& call) {
    return {call.live_at_peak, call.live_bytes_at_peak};
}

/// Effects: writes the sites by the blocks that `count` returns for the sums of a site or a call, most `weight` first,
/// each with its heaviest stack.
template <class Count>
void write_ranking(json_writer& json, std::string_view key, const report_source& source,
                   std::span<const site> sites, std::size_t most_rows, std::uint64_t block_count::* weight,
                   const Count& count) {
    struct ranked_site {
        const site* row = nullptr;
        block_count blocks;
    };
    std::vector<ranked_site> ranking;
    block_count unlisted;
    for (const site& row : sites) {
        if (const block_count blocks = count(row.sums); blocks.allocations != 0) {
            ranking.push_back({&row, blocks});
            unlisted.add(blocks.allocations, blocks.bytes);
        }
    }
    std::ranges::stable_sort(ranking, [&](const ranked_site& left, const ranked_site& right) {
        return left.blocks.*weight > right.blocks.*weight;
    });
    const std::size_t sites_with_blocks = ranking.size();
    ranking.resize(std::min(sites_with_blocks, most_rows));
    const std::span<const call_totals> calls = source.results.calls().all();
    json.key(key).begin_list();
    for (const auto& [row, blocks] : ranking) {
        const call_id heaviest =
            std::ranges::max(row->calls, {}, [&](call_id call) { return count(calls[call]).*weight; });
        json.begin_object().field("place", source.tables.place(row->address));
        json.field("allocations", blocks.allocations).field("bytes", blocks.bytes);
        json.field("stack", source.tables.stack(calls[heaviest].context)).end_object();
        unlisted.allocations -= blocks.allocations;
        unlisted.bytes -= blocks.bytes;
    }
    json.end_list();
    write_unlisted(json, std::string(key) + "_not_listed", "sites", sites_with_blocks - ranking.size(),
                   unlisted);
}

/// A pair of an allocating and a freeing call; or the live blocks of a call.
struct pair_row {
    const pair_totals* pair = nullptr;
    call_id allocated = 0;
    block_count blocks;
};

void write_pair(json_writer& json, const report_source& source, const pair_row& row) {
    const std::span<const call_totals> calls = source.results.calls().all();
    json.begin_object().field("allocated", source.tables.stack(calls[row.allocated].context));
    json.optional_field("freed", row.pair != nullptr && row.pair->freed != no_call,
                        [&] { return source.tables.stack(calls[row.pair->freed].context); });
    json.field("alive", row.pair == nullptr);
    json.field("allocations", row.blocks.allocations).field("bytes", row.blocks.bytes);
    json.optional_field("container", row.pair != nullptr && row.pair->container != no_scope,
                        [&] { return source.tables.function(row.pair->container); });
    if (row.pair == nullptr) {
        json.field("thread", json_writer::null{}).field("mean_lifetime_seconds", json_writer::null{});
        json.field("mean_lifetime_bytes", json_writer::null{}).end_object();
        return;
    }
    const auto blocks = static_cast<double>(row.blocks.allocations);
    json.field("thread", row.pair->elsewhere ? "other" : "same");
    json.field("mean_lifetime_seconds", row.pair->life_ticks * source.ns_per_tick * 1e-9 / blocks);
    json.field("mean_lifetime_bytes", row.pair->life_clock / blocks).end_object();
}

/// Returns: the pairs whose blocks come from calls for which `belongs` is true.
template <class Filter>
std::vector<pair_row> all_pairs(const report_source& source, const Filter& belongs) {
    std::vector<pair_row> rows;
    for (const pair_totals& pair : source.results.pairs().all()) {
        if (belongs(pair.allocated)) {
            rows.push_back({&pair, pair.allocated, {pair.blocks, pair.bytes}});
        }
    }
    const std::span<const call_totals> calls = source.results.calls().all();
    for (std::size_t call = 0; call < calls.size(); ++call) {
        const block_count alive = alive_blocks(calls[call]);
        if (alive.allocations != 0 && belongs(static_cast<call_id>(call))) {
            rows.push_back({nullptr, static_cast<call_id>(call), alive});
        }
    }
    return rows;
}

/// Returns: for each call, whether it is in the scope.
std::vector<bool> calls_inside(const report_source& source, scope_id scope) {
    std::vector<bool> is_inside;
    for (const std::uint64_t inside : scopes_by_call(source, {scope})) {
        is_inside.push_back(inside != 0);
    }
    return is_inside;
}

} // namespace

void write_instruction(json_writer& json, const report_source& source, std::uint64_t site) {
    if (const auto call = source.names.in_file(site)) {
        json.field("file", call->path).field("instruction", call->offset);
    }
}

void write_sites(json_writer& json, const report_source& source, bool all_rows) {
    std::vector<site> sites = all_sites(source, [](call_id) { return true; });
    // Sites without a block of the part are only in the lists of live blocks.
    const auto allocating = static_cast<std::size_t>(
        std::ranges::count_if(sites, [](const site& row) { return row.sums.all.allocations != 0; }));
    const std::size_t shown = std::min(heaviest_first(sites, all_rows ? sites.size() : 160, 80,
                                                      [](const site& row) { return row.sums.all; }),
                                       allocating);
    json.key("sites").begin_list();
    for (std::size_t at = 0; at < shown; ++at) {
        write_site(json, source, sites[at]);
    }
    json.end_list();
    block_count unlisted;
    for (std::size_t at = shown; at < allocating; ++at) {
        unlisted.add(sites[at].sums.all.allocations, sites[at].sums.all.bytes);
    }
    write_unlisted(json, "sites_not_listed", "sites", allocating - shown, unlisted);

    const std::size_t most_rows = all_rows ? sites.size() : 60;
    const std::vector<site> leaking =
        all_sites(source, [&](call_id call) { return !source.is_suppressed(call); });
    write_ranking(json, "leaks", source, leaking, most_rows, &block_count::bytes,
                  [](const auto& sums) { return alive_blocks(sums); });
    write_ranking(json, "temporary", source, sites, most_rows, &block_count::allocations,
                  [](const auto& sums) { return temporary_blocks(sums); });
    write_ranking(json, "peak", source, sites, most_rows, &block_count::bytes,
                  [](const auto& sums) { return peak_blocks(sums); });
}

void write_suppressions(json_writer& json, const report_source& source,
                        std::span<const std::string> patterns) {
    std::vector<block_count> counts(patterns.size());
    const std::span<const call_totals> calls = source.results.calls().all();
    for (std::size_t call = 0; call < calls.size(); ++call) {
        if (source.is_suppressed(static_cast<call_id>(call))) {
            const block_count alive = alive_blocks(calls[call]);
            counts[source.suppressed[call]].add(alive.allocations, alive.bytes);
        }
    }
    json.key("suppressions").begin_list();
    for (std::size_t at = 0; at < patterns.size(); ++at) {
        json.begin_object().field("pattern", patterns[at]);
        json.field("allocations", counts[at].allocations).field("bytes", counts[at].bytes).end_object();
    }
    json.end_list();
}

void write_pairs(json_writer& json, const report_source& source) {
    std::vector<pair_row> rows = all_pairs(source, [](call_id) { return true; });
    const std::size_t shown = heaviest_first(rows, 120, 60, [](const pair_row& row) { return row.blocks; });
    json.key("pairs").begin_list();
    for (std::size_t at = 0; at < shown; ++at) {
        write_pair(json, source, rows[at]);
    }
    json.end_list();
    block_count unlisted;
    for (std::size_t at = shown; at < rows.size(); ++at) {
        unlisted.add(rows[at].blocks.allocations, rows[at].blocks.bytes);
    }
    write_unlisted(json, "pairs_not_listed", "pairs", rows.size() - shown, unlisted);
}

void write_scope_sites(json_writer& json, const report_source& source, scope_id scope) {
    const std::vector<bool> inside = calls_inside(source, scope);
    std::vector<site> sites = all_sites(source, [&](call_id call) { return inside[call]; });
    const std::size_t shown = heaviest_first(sites, 80, 20, [](const site& row) { return row.sums.all; });
    json.key("sites").begin_list();
    for (std::size_t at = 0; at < shown; ++at) {
        write_site(json, source, sites[at]);
    }
    json.end_list();
}

void write_scope_pairs(json_writer& json, const report_source& source, scope_id scope) {
    const std::vector<bool> inside = calls_inside(source, scope);
    std::vector<pair_row> rows = all_pairs(source, [&](call_id call) { return inside[call]; });
    const std::size_t shown = heaviest_first(rows, 80, 20, [](const pair_row& row) { return row.blocks; });
    json.key("pairs").begin_list();
    for (std::size_t at = 0; at < shown; ++at) {
        write_pair(json, source, rows[at]);
    }
    json.end_list();
}

void write_site_blocks(json_writer& json, std::string_view key, const report_source& source,
                       const site_blocks& sites, std::size_t most) {
    json.key(key).begin_list();
    for (const auto& [address, blocks] : heaviest(sites, most)) {
        json.begin_object().field("place", source.tables.place(address));
        json.field("allocations", blocks.allocations).field("bytes", blocks.bytes).end_object();
    }
    json.end_list();
}

} // namespace mallard::advisor

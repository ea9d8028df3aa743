#include "profiler/report/figures.hpp"

#include "profiler/scopes/size_class.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace mallard::advisor {

namespace {

using share = std::optional<double>;

share ratio(double count, double total) noexcept {
    return total > 0 ? share(count / total) : std::nullopt;
}
share ratio(std::uint64_t count, std::uint64_t total) noexcept {
    return ratio(static_cast<double>(count), static_cast<double>(total));
}

void begin_dimension(json_writer& json, std::string_view key, share raw, share scaled) {
    json.key(key).begin_object().field("raw", raw).field("scaled", scaled);
}

share at_most_one(share value) noexcept {
    return value ? share(std::min(*value, 1.0)) : std::nullopt;
}

void write_sizes(json_writer& json, const figure_sums& sums) {
    constexpr std::size_t most_rows = 48;
    auto rows = heaviest(sums.sizes, most_rows);
    std::ranges::sort(rows, [](const auto& left, const auto& right) { return left.first < right.first; });
    json.key("sizes").begin_list();
    for (const auto& [size_class, count] : rows) {
        json.begin_list()
            .value(largest_size(size_class))
            .value(count.allocations)
            .value(count.bytes)
            .end_list();
    }
    json.end_list().field("size_classes", sums.sizes.size());
}

void write_density(json_writer& json, const figure_sums& sums, const figure_setting& setting) {
    const double mean = sums.ticks_per_operation();
    const auto operations = static_cast<double>(sums.all.allocations + sums.frees);
    // The time of the program without the recorder.
    const double by_recorder =
        sums.timed == 0 ? 0
                        : std::max(0.0, sums.ticks_recorder) / static_cast<double>(sums.timed) * operations;
    const double ticks =
        std::max(static_cast<double>(setting.ticks) * setting.busy - by_recorder, mean * operations);
    const bool is_known = sums.timed != 0 && setting.ticks != 0;
    const share raw = is_known ? ratio(mean * operations, ticks) : std::nullopt;
    begin_dimension(json, "D", raw, at_most_one(raw));
    json.key("interval");
    if (is_known && sums.timed > 1) {
        const auto count = static_cast<double>(sums.timed);
        const double squares_of_mean = sums.ticks_inside * sums.ticks_inside / count;
        const double variance = std::max(0.0, (sums.squares_inside - squares_of_mean) / (count - 1));
        const double half = 1.96 * std::sqrt(variance / count);
        json.begin_list();
        json.value(std::max(0.0, (mean - half) * operations / ticks))
            .value((mean + half) * operations / ticks);
        json.end_list();
    } else {
        json.value(json_writer::null{});
    }
    json.field("samples", sums.timed);
    json.field("ns_per_operation", mean * setting.ns_per_tick);
    json.field("recorder_ns_per_operation", ratio(std::max(0.0, sums.ticks_recorder) * setting.ns_per_tick,
                                                  static_cast<double>(sums.timed)));
    json.field("operations_per_second", ratio(operations * 1e9, ticks * setting.ns_per_tick));
    json.end_object();
}

double entropy(const figure_sums& sums) noexcept {
    double bits = 0;
    for (const auto& [size_class, count] : sums.sizes) {
        const double part =
            static_cast<double>(count.allocations) / static_cast<double>(sums.all.allocations);
        bits -= part * std::log2(part);
    }
    return std::max(bits, 0.0);
}

void write_dimensions(json_writer& json, const figure_sums& sums, const figure_setting& setting) {
    write_density(json, sums, setting);

    const share bits = sums.all.allocations != 0 ? share(entropy(sums)) : std::nullopt;
    begin_dimension(json, "V", bits, bits ? share(1 - std::exp2(-*bits)) : std::nullopt);
    json.end_object();

    const scope_totals no_activations;
    const scope_totals& scope = setting.scope != nullptr ? *setting.scope : no_activations;
    const std::uint64_t transitions =
        std::max<std::uint64_t>(scope.seen - scope.open, scope.seen != 0 ? 1 : 0);
    const share locality = ratio(static_cast<double>(setting.ticks) * setting.ns_per_tick,
                                 static_cast<double>(scope.highest_peak) * static_cast<double>(transitions));
    begin_dimension(json, "L", locality, locality ? share(*locality / (1 + *locality)) : std::nullopt);
    json.field("footprint_bytes", scope.highest_peak).field("transitions", transitions).end_object();

    const share utilization = ratio(scope.peaks, scope.bytes);
    begin_dimension(json, "U", utilization, utilization);
    json.end_object();

    const share contention = setting.threads > 1 ? ratio(sums.in_flight, sums.timed) : std::nullopt;
    begin_dimension(json, "C", contention,
                    contention ? at_most_one(*contention / static_cast<double>(setting.threads - 1))
                               : std::nullopt);
    json.field("samples", sums.timed);
    json.field("freed_by_other_thread", ratio(sums.freed_elsewhere.allocations, sums.freed.allocations));
    json.end_object();

    const share foreign = ratio(scope.foreign_neighbours, scope.neighbours);
    begin_dimension(json, "F", foreign, foreign);
    json.field("pages_spanned", scope.pages_spanned).field("pages_needed", scope.pages_needed);
    json.field("samples", scope.snapshots).end_object();
}

/// Returns: the largest size of the class at which the cumulative share of the activations reaches `part`.
std::uint64_t percentile(const scope_totals& scope, std::size_t column, double part, std::uint64_t most) {
    const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(scope.allocating)));
    std::uint64_t below = 0;
    for (std::size_t index = 0; index < scope.classes.size(); ++index) {
        below += scope.classes[index][column];
        if (below >= rank) {
            return std::min(largest_size(static_cast<unsigned>(index)), most);
        }
    }
    return most;
}

void write_optional(json_writer& json, std::string_view key, bool is_known, const block_count& count) {
    if (is_known) {
        write(json, key, count);
    } else {
        json.field(key, json_writer::null{});
    }
}

void write_distribution(json_writer& json, std::string_view key, const scope_totals& scope,
                        std::size_t column, std::uint64_t most, std::uint64_t sum) {
    json.key(key);
    if (scope.allocating == 0) {
        json.value(json_writer::null{});
        return;
    }
    json.begin_object();
    json.field("p50", percentile(scope, column, 0.5, most))
        .field("p90", percentile(scope, column, 0.9, most));
    json.field("p99", percentile(scope, column, 0.99, most)).field("max", most);
    json.field("mean", ratio(sum, scope.allocating)).end_object();
}

} // namespace

void figure_sums::add(const call_totals& call) {
    all.add(call.allocations, call.bytes);
    freed.add(call.freed, call.freed_bytes);
    freed_elsewhere.add(call.freed_elsewhere, call.freed_elsewhere_bytes);
    temporary.add(call.temporary, call.temporary_bytes);
    at_peak.add(call.live_at_peak, call.live_bytes_at_peak);
    earlier.add(call.earlier, call.earlier_bytes);
    frees += call.frees;
    smallest = std::min(smallest, call.smallest);
    largest = std::max(largest, call.largest);
    life_ticks += call.life_ticks;
    life_clock += call.life_clock;
    timed += call.timed;
    in_flight += call.in_flight;
    ticks_inside += call.ticks_inside;
    squares_inside += call.squares_inside;
    ticks_recorder += call.ticks_recorder;
    if (call.allocations != 0) {
        sizes[call.first_class].add(call.first_class_allocations, call.first_class_bytes);
    }
}

void write(json_writer& json, std::string_view key, const block_count& count) {
    json.key(key)
        .begin_object()
        .field("allocations", count.allocations)
        .field("bytes", count.bytes)
        .end_object();
}

void write_figures(json_writer& json, const figure_sums& sums, const figure_setting& setting) {
    json.begin_object();
    json.field("allocations", sums.all.allocations).field("bytes", sums.all.bytes).field("frees", sums.frees);
    write_sizes(json, sums);
    json.optional_field("smallest", sums.all.allocations != 0, [&] { return sums.smallest; });
    json.optional_field("largest", sums.all.allocations != 0, [&] { return sums.largest; });
    const scope_totals* const scope = setting.scope;
    const block_count contained =
        scope == nullptr ? block_count{} : block_count{scope->contained, scope->contained_bytes};
    write_optional(json, "contained", scope != nullptr, contained);
    write_optional(json, "escaped", scope != nullptr,
                   {sums.freed.allocations - contained.allocations, sums.freed.bytes - contained.bytes});
    write(json, "alive", {sums.all.allocations - sums.freed.allocations, sums.all.bytes - sums.freed.bytes});
    json.optional_field("containment", scope != nullptr,
                        [&] { return ratio(contained.allocations, sums.freed.allocations); });
    json.optional_field("containment_bytes", scope != nullptr,
                        [&] { return ratio(contained.bytes, sums.freed.bytes); });
    write_optional(json, "freed_by_other_thread", setting.threads > 1, sums.freed_elsewhere);
    write(json, "temporary", sums.temporary);
    write_dimensions(json, sums, setting);
    json.key("drag");
    if (setting.scope != nullptr && setting.scope->peaks != 0) {
        json.begin_object()
            .field("peak_ratio", ratio(setting.scope->bytes, setting.scope->peaks))
            .field("area_ratio", ratio(setting.scope->region_area, setting.scope->live_area))
            .end_object();
    } else {
        json.value(json_writer::null{});
    }
    const auto freed = static_cast<double>(sums.freed.allocations);
    json.field("mean_lifetime_seconds", ratio(sums.life_ticks * setting.ns_per_tick * 1e-9, freed));
    json.field("mean_lifetime_bytes", ratio(sums.life_clock, freed));
    json.end_object();
}

void write_activations(json_writer& json, const scope_totals& scope, double ns_per_tick) {
    json.field("threads", scope.threads);
    json.key("activations").begin_object();
    json.field("seen", scope.seen).field("allocating", scope.allocating).field("contained", scope.emptied);
    json.field("open", scope.open).field("seconds", static_cast<double>(scope.ticks) * ns_per_tick * 1e-9);
    json.end_object();
    write(json, "owned", {scope.owned, scope.owned_bytes});
    json.key("separations").begin_object();
    json.field("seen", scope.seen).field("at_most", scope.seen + scope.steps_back).end_object();
    write_distribution(json, "activation_bytes", scope, 0, scope.most_bytes, scope.bytes);
    write_distribution(json, "activation_peak", scope, 1, scope.highest_peak, scope.peaks);
    json.key("rewind").begin_object();
    json.field("returns", scope.returns).field("peak_bytes", scope.most_between_returns).end_object();
    json.key("page_faults").begin_object().field("fresh", scope.pages);
    json.field("per_activation", ratio(scope.pages, scope.allocating)).end_object();
}

} // namespace mallard::advisor

/// The figures of a scope, a site or the process: their sums, and the object `figures` of the document.
#pragma once

#include "profiler/blocks/call_table.hpp"
#include "profiler/scopes/scope_totals.hpp"
#include "trace/json_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace mallard::advisor {

using trace::json_writer;

/// Blocks and their bytes.
struct block_count {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;

    void add(std::uint64_t block_count_, std::uint64_t block_bytes) noexcept {
        allocations += block_count_;
        bytes += block_bytes;
    }
};

/// Returns: the entries with the most allocations, these first, and the smaller key of equal ones.
template <class Counts>
std::vector<std::pair<typename Counts::key_type, block_count>> heaviest(const Counts& counts,
                                                                        std::size_t most) {
    std::vector<std::pair<typename Counts::key_type, block_count>> rows(counts.begin(), counts.end());
    std::ranges::sort(rows, [](const auto& left, const auto& right) {
        return left.second.allocations != right.second.allocations
                   ? left.second.allocations > right.second.allocations
                   : left.first < right.first;
    });
    rows.resize(std::min(rows.size(), most));
    return rows;
}

/// Sums over calls.
struct figure_sums {
    block_count all, freed, freed_elsewhere, temporary, at_peak;
    block_count earlier; ///< live, from before the analysed part of the time
    std::uint64_t frees = 0;
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t largest = 0;
    double life_ticks = 0;
    double life_clock = 0;
    std::uint64_t timed = 0;
    std::uint64_t in_flight = 0;
    double ticks_inside = 0;
    double squares_inside = 0;
    double ticks_recorder = 0;
    std::map<std::uint32_t, block_count> sizes; ///< by size class

    void add(const call_totals& call);
    void add(const call_table::class_totals& call_class) {
        sizes[call_class.size_class].add(call_class.allocations, call_class.bytes);
    }
    /// Returns: the mean, which is not negative although single times may be.
    [[nodiscard]] double ticks_per_operation() const noexcept {
        return timed == 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::max(0.0, ticks_inside / static_cast<double>(timed));
    }
};

/// The inputs of figures other than their sums.
struct figure_setting {
    double ns_per_tick = 1;
    std::size_t threads = 1;
    /// The totals of the scope; null for a site, which has no activations.
    const scope_totals* scope = nullptr;
    /// Time spent in the scope.
    std::uint64_t ticks = 0;
    /// The share of the time in which a processor worked, for the process. The program waits otherwise.
    double busy = 1;
};

void write(json_writer& json, std::string_view key, const block_count& count);

/// Effects: writes the object `figures` of the document.
void write_figures(json_writer& json, const figure_sums& sums, const figure_setting& setting);

/// Effects: writes the fields that describe activations: `activations` to `page_faults`, and `threads`.
void write_activations(json_writer& json, const scope_totals& scope, double ns_per_tick);

} // namespace mallard::advisor

/// The base of runs on ranges of a list's nodes: phases, their times, and the memory held.
#pragma once

#include "runner/harness/memory.hpp"
#include "runner/harness/process.hpp"
#include "runner/strategy/null_source.hpp"
#include "runner/workload/ranges/node_ranges.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// A derived class has `run<Nodes>(source)`, where Nodes is single_nodes or bursts_of_nodes.
class range_run {
public:
    /// Effects: writes the results to the row.
    void write(row& result) {
        result.timed = timed_;
        result.operations = static_cast<std::int64_t>(2 * cell_.nodes);
        result.iterations = 2;
        result.checksum = to_hexadecimal(sum_);
        result.figures = std::move(figures_);
    }

protected:
    /// Requires: `bounds` has a touched place for each range and one more. `baseline` is the memory held at the
    /// start, in bytes.
    range_run(const range_cell& cell, range_bounds bounds, std::int64_t baseline)
        : cell_(cell), bounds_(bounds), baseline_(baseline) {}

    /// Effects: inserts all nodes by ranges, as part of the row's time, and finds the bounds of the ranges.
    template <class Nodes, class Source>
    void insert(const char* name, Source& source) {
        timed_ += time(name, [&] { Nodes::insert(source, list_, cell_.ranges(), cell_.range); });
        sum_ = find_ranges(list_, cell_.range, bounds_);
    }

    /// Effects: erases all nodes by ranges, as part of the row's time.
    template <class Nodes, class Source>
    void erase(const char* name, Source& source) {
        timed_ += time(name, [&] { Nodes::erase(source, bounds_, cell_.range); });
    }

    /// Effects: runs the phase, and adds its time in nanoseconds per node to the figures.
    /// Returns: its cost.
    template <class Phase>
    cost time(const char* name, Phase&& phase) {
        const stopwatch watch;
        phase();
        const cost elapsed = watch.elapsed();
        figure(name, static_cast<double>(elapsed.cpu_ns) / static_cast<double>(cell_.nodes));
        return elapsed;
    }

    /// Effects: adds the memory held to the figures, while all nodes are present.
    void record_held_memory() {
        const auto held_bytes = static_cast<double>(inspect_memory().bytes - baseline_);
        const auto node_bytes = static_cast<double>(cell_.node_bytes());
        figure("held_bytes", held_bytes);
        figure("overhead_percent", (held_bytes / node_bytes - 1) * 100);
        figure("overhead_bytes", (held_bytes - node_bytes) / static_cast<double>(cell_.nodes));
    }

    void figure(const char* name, double value) { figures_.emplace_back(name, value); }

    /// Effects: rewinds the memory of null, which has room for all nodes once.
    /// Requires: all nodes are erased.
    template <class Source>
    static void begin_again([[maybe_unused]] Source& source) noexcept {
        if constexpr (std::is_same_v<Source, null_source>) {
            source.release();
        }
    }

    [[nodiscard]] const range_cell& cell() const noexcept { return cell_; }
    [[nodiscard]] std::int64_t baseline() const noexcept { return baseline_; }
    [[nodiscard]] node_list& list() noexcept { return list_; }

private:
    const range_cell& cell_;
    range_bounds bounds_;
    std::int64_t baseline_;
    node_list list_;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

} // namespace bench

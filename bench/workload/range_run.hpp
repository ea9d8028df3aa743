/// What the runs on ranges of a list's nodes have in common: phases, what each took, and the memory that they hold.
#pragma once

#include "bench/harness/memory.hpp"
#include "bench/harness/process.hpp"
#include "bench/strategy/null_source.hpp"
#include "bench/workload/node_ranges.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// A run of an experiment derives from it, and has `run<Nodes>(source)`, Nodes being how nodes are asked for.
class range_run {
public:
    /// Effects: writes what was found to the row.
    void write(row& result) {
        result.timed = timed_;
        result.operations = static_cast<std::int64_t>(2 * cell_.nodes);
        result.iterations = 2;
        result.checksum = to_hexadecimal(sum_);
        result.figures = std::move(figures_);
    }

protected:
    /// `bounds` has a place for each range and one more, all of them touched; `before` are the bytes that the growth
    /// of memory is counted from.
    range_run(const range_cell& cell, range_bounds bounds, std::int64_t before)
        : cell_(cell), bounds_(bounds), before_(before) {}

    /// Effects: inserts all nodes by ranges, which counts for the row's time, and finds where the ranges begin.
    template <class Nodes, class Source>
    void insert(const char* name, Source& source) {
        timed_ += time(name, [&] { Nodes::insert(source, list_, cell_.ranges(), cell_.range); });
        sum_ = find_ranges(list_, cell_.range, bounds_);
    }

    /// Effects: erases all nodes by ranges, which counts for the row's time.
    template <class Nodes, class Source>
    void erase(const char* name, Source& source) {
        timed_ += time(name, [&] { Nodes::erase(source, bounds_, cell_.range); });
    }

    /// Effects: adds the nanoseconds a node that the phase takes to the figures.
    template <class Phase>
    cost time(const char* name, Phase&& phase) {
        const stopwatch watch;
        phase();
        const cost taken = watch.elapsed();
        figure(name, static_cast<double>(taken.cpu_ns) / static_cast<double>(cell_.nodes));
        return taken;
    }

    /// Effects: adds to the figures what is held while all nodes are there.
    void look_at_what_is_held() {
        const auto held_bytes = static_cast<double>(inspect_memory().bytes - before_);
        const auto node_bytes = static_cast<double>(cell_.node_bytes());
        figure("held_bytes", held_bytes);
        figure("overhead_percent", (held_bytes / node_bytes - 1) * 100);
        figure("overhead_bytes", (held_bytes - node_bytes) / static_cast<double>(cell_.nodes));
    }

    void figure(const char* name, double value) { figures_.emplace_back(name, value); }

    /// Requires: all nodes are erased. The floor has room for all of them once.
    template <class Source>
    static void begin_again([[maybe_unused]] Source& source) noexcept {
        if constexpr (std::is_same_v<Source, null_source>) {
            source.release();
        }
    }

    [[nodiscard]] const range_cell& cell() const noexcept { return cell_; }
    [[nodiscard]] std::int64_t before() const noexcept { return before_; }
    [[nodiscard]] node_list& list() noexcept { return list_; }

private:
    const range_cell& cell_;
    range_bounds bounds_;
    std::int64_t before_;
    node_list list_;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

} // namespace bench

/// The cells, strategies and memory of the experiments with ranges of a list's nodes.
#pragma once

#include "runner/harness/memory.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/null_source.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/ranges/node_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

inline constexpr std::int64_t most_nodes = 100'000'000;
inline constexpr constant_shape<sizeof(list_node), alignof(list_node)> node_shape;

struct range_cell {
    strategy subject;
    std::size_t range;
    std::size_t nodes;

    [[nodiscard]] std::size_t ranges() const noexcept { return nodes / range; }
    [[nodiscard]] std::size_t node_bytes() const noexcept { return nodes * sizeof(list_node); }
};

/// True if the experiments have the strategy. A strategy without reuse would hold all nodes twice at the second
/// insertion.
[[nodiscard]] bool has_node_ranges(const strategy& s) noexcept;

/// Throws: usage_error.
[[nodiscard]] range_cell parse_node_ranges(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes such an experiment.
void describe_node_ranges(json_writer& json);

/// Effects: runs a Run over the source of the cell, and writes its row.
template <class Run>
void measure_ranges(const range_cell& cell, range_bounds bounds, std::int64_t baseline, row& result,
                    run_options& options) {
    Run run(cell, bounds.first(cell.ranges() + 1), baseline, options);
    const auto run_over = [&](auto& source) {
        if (cell.subject.contiguous) {
            run.template run<contiguous_bursts>(source);
        } else if (cell.subject.bursts) {
            run.template run<bursts_of_nodes>(source);
        } else {
            run.template run<single_nodes>(source);
        }
    };
    if (cell.subject.mechanism == mechanism_kind::null) {
        const static_buffer memory(buffer_state::warm, cell.node_bytes(), cell.node_bytes());
        null_source null(memory.span());
        run_over(null);
    } else {
        static_cast<void>(with_source(cell.subject, {}, node_shape, run_over));
    }
    run.write(result);
}

/// Effects: warms the code and the libraries, as in a running program.
template <class Run>
void warm_up_ranges(range_cell cell, range_bounds bounds) {
    cell.nodes = cell.range = std::min<std::size_t>(cell.range, 64);
    row ignored_row;
    run_options ignored_options;
    measure_ranges<Run>(cell, bounds, 0, ignored_row, ignored_options);
}

/// Effects: warms up and measures the cell. The baseline of memory is taken after the runner's warm-up and before the
/// strategy's, because a strategy's first chunks are part of its memory.
template <class Run>
void measure_warm_ranges(const range_cell& cell, row& result, run_options& options) {
    const std::size_t bytes = (cell.ranges() + 1) * sizeof(list_node*);
    const static_buffer touched(buffer_state::warm, bytes, bytes);
    const range_bounds bounds(reinterpret_cast<list_node**>(touched.span().data()), cell.ranges() + 1);
    range_cell null = cell;
    null.subject = strategies().front();
    warm_up_ranges<Run>(null, bounds);
    trim_process();
    const std::int64_t baseline = inspect_memory().bytes;
    warm_up_ranges<Run>(cell, bounds);
    measure_ranges<Run>(cell, bounds, baseline, result, options);
}

/// Effects: runs the cell that `args` describes. A Run is a range_run, constructed from the cell,
/// the bounds of its ranges, the baseline of memory in bytes, and the options.
/// Throws: usage_error.
template <class Run>
[[nodiscard]] row run_on_ranges(const char* name, arguments& args, run_options& options) {
    const range_cell cell = parse_node_ranges(args, options);
    args.finish();

    row result;
    result.experiment = name;
    result.write_parameters = [cell](json_writer& json) {
        json.member("range", cell.range).member("nodes", cell.nodes);
    };
    try {
        // A malloc adds a header to each node, and some pools grow by doubling.
        const std::size_t expected = 2 * cell.node_bytes();
        expect_room(expected, options.notes);
        bring_in(std::min(expected, most_to_bring_in()));
        measure_warm_ranges<Run>(cell, result, options);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

/// The base of runs on ranges of a list's nodes: phases, their times, and the memory held.
/// A derived class has `run<Nodes>(source)`, where Nodes is single_nodes or bursts.
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

    /// Effects: makes the checksum wrong unless the list has the values of the last insertion.
    void check_values() {
        if (find_ranges(list_, cell_.range, bounds_) != sum_) {
            sum_ = 0;
        }
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

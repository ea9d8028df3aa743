#include "bench/workload/adaptive_pool.hpp"

#include "bench/harness/memory.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/static_buffer.hpp"
#include "bench/strategy/null_source.hpp"
#include "bench/strategy/sources.hpp"
#include "bench/workload/node_list.hpp"
#include "bench/workload/trimmed_growth.hpp"

#include <algorithm>
#include <new>
#include <type_traits>

namespace bench {

namespace {

constexpr std::int64_t most_nodes = 100'000'000;
constexpr constant_shape<sizeof(list_node), alignof(list_node)> node_shape;

struct adaptive_pool_cell {
    strategy how;
    std::size_t range;
    std::size_t nodes;

    [[nodiscard]] std::size_t ranges() const noexcept { return nodes / range; }
    [[nodiscard]] std::size_t node_bytes() const noexcept { return nodes * sizeof(list_node); }
};

/// What uses nothing again would hold two million nodes more after the second insertion.
bool has_adaptive_pool(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null ||
           (s.can(capability::reuses) && (s.bursts || s.frees_each_block()));
}

adaptive_pool_cell parse(arguments& given, run_options& options) {
    adaptive_pool_cell cell{};
    cell.how = choose_strategy(given, options, has_adaptive_pool);
    const std::int64_t nodes = given.number("nodes", 2'000'000, 1, most_nodes);
    const std::int64_t range = given.number("range", -1, 1, most_nodes);
    if (nodes % range != 0) {
        throw usage_error("--range " + std::to_string(range) + ": allowed are divisors of --nodes " +
                          std::to_string(nodes) + ", because all ranges have one length");
    }
    cell.nodes = static_cast<std::size_t>(nodes);
    cell.range = static_cast<std::size_t>(range);
    return cell;
}

/// Inserts and erases twice, and looks at the memory between.
class adaptive_pool_run {
public:
    /// `bounds` has a place for each range and one more, all of them touched; `before` are the bytes that the
    /// growth of memory is counted from.
    adaptive_pool_run(const adaptive_pool_cell& cell, range_bounds bounds, std::int64_t before,
                      run_options& options)
        : cell_(cell), bounds_(bounds), before_(before), options_(options) {}

    template <class Source>
    void operator()(Source& source) {
        if (cell_.how.bursts) {
            run<bursts_of_nodes>(source);
        } else {
            run<single_nodes>(source);
        }
    }

    void write(row& result) {
        result.timed = timed_;
        result.operations = static_cast<std::int64_t>(2 * cell_.nodes);
        result.iterations = 2;
        result.checksum = to_hexadecimal(sum_);
        result.figures = std::move(figures_);
    }

private:
    template <class Nodes, class Source>
    void run(Source& source) {
        insert<Nodes>("insert_ns", source);
        const std::int64_t held_bytes = growth();
        const auto node_bytes = static_cast<double>(cell_.node_bytes());
        figure("held_bytes", static_cast<double>(held_bytes));
        figure("overhead_percent", (static_cast<double>(held_bytes) / node_bytes - 1) * 100);
        erase<Nodes>("erase_ns", source);
        const held_memory erased = inspect_memory();
        figure("erased_bytes", static_cast<double>(erased.bytes - before_));
        figure("offered_bytes", static_cast<double>(erased.offered_bytes));
        if constexpr (requires { source.stats().chunk_bytes; }) {
            const auto kept = source.stats();
            figure("pool_bytes", static_cast<double>(kept.chunk_bytes + kept.direct_bytes));
        }
        if constexpr (std::is_same_v<Source, null_source>) {
            source.release();
        }
        insert<Nodes>("insert_warm_ns", source);
        erase<Nodes>("erase_warm_ns", source);
        if (const auto trimmed = trimmed_growth(source, before_, options_)) {
            figure("trimmed_bytes", static_cast<double>(*trimmed));
        }
    }

    template <class Nodes, class Source>
    void insert(const char* name, Source& source) {
        time(name, [&] { Nodes::insert(source, list_, cell_.ranges(), cell_.range); });
        sum_ = find_ranges(list_, cell_.range, bounds_);
    }

    template <class Nodes, class Source>
    void erase(const char* name, Source& source) {
        time(name, [&] { Nodes::erase(source, bounds_, cell_.range); });
    }

    template <class Phase>
    void time(const char* name, Phase&& phase) {
        const stopwatch watch;
        phase();
        const cost taken = watch.elapsed();
        timed_ += taken;
        figure(name, static_cast<double>(taken.cpu_ns) / static_cast<double>(cell_.nodes));
    }

    void figure(const char* name, double value) { figures_.emplace_back(name, value); }

    [[nodiscard]] std::int64_t growth() const { return inspect_memory().bytes - before_; }

    const adaptive_pool_cell& cell_;
    range_bounds bounds_;
    std::int64_t before_;
    run_options& options_;
    node_list list_;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

void measure(const adaptive_pool_cell& cell, range_bounds bounds, std::int64_t before, row& result,
             run_options& options) {
    adaptive_pool_run run(cell, bounds.first(cell.ranges() + 1), before, options);
    if (cell.how.mechanism == mechanism_kind::null) {
        const static_buffer there(buffer_state::warm, page_size::huge, cell.node_bytes(), cell.node_bytes());
        null_source floor(there.span());
        run(floor);
    } else {
        static_cast<void>(with_source(cell.how, {}, node_shape, run));
    }
    run.write(result);
}

/// Effects: brings the code, and the libraries' first-time work, to where they are in a running program.
void warm_up(adaptive_pool_cell cell, range_bounds bounds) {
    cell.nodes = cell.range = std::min<std::size_t>(cell.range, 64);
    row nobody_reads;
    run_options nobody_asks;
    measure(cell, bounds, 0, nobody_reads, nobody_asks);
}

/// Effects: measures the cell. What the strategy takes for its first nodes ever is its memory too, so the
/// growth is counted from before these; but not the runner's own first-time work.
void measure_warm(const adaptive_pool_cell& cell, row& result, run_options& options) {
    const std::size_t bytes = (cell.ranges() + 1) * sizeof(list_node*);
    const static_buffer touched(buffer_state::warm, page_size::small, bytes, bytes);
    const range_bounds bounds(reinterpret_cast<list_node**>(touched.span().data()), cell.ranges() + 1);
    adaptive_pool_cell floor = cell;
    floor.how = strategies().front();
    warm_up(floor, bounds);
    trim_process();
    const std::int64_t before = inspect_memory().bytes;
    warm_up(cell, bounds);
    measure(cell, bounds, before, result, options);
}

} // namespace

row run_adaptive_pool(arguments& given, run_options& options) {
    const adaptive_pool_cell cell = parse(given, options);
    given.finish();

    row result;
    result.experiment = "adaptive-pool";
    result.write_parameters = [cell](json_writer& json) {
        json.member("range", cell.range).member("nodes", cell.nodes);
    };
    try {
        // A malloc has a header for each, and some pools grow by doubling.
        const std::size_t expected = 2 * cell.node_bytes();
        expect_room(expected, options.notes);
        bring_in(std::min(expected, most_to_bring_in()));
        measure_warm(cell, result, options);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_adaptive_pool(json_writer& json) {
    describe_strategies(json, has_adaptive_pool, other_pools::strategies);
    json.key("range").open('[').value(1).value(most_nodes).close(']');
    json.key("nodes").open('[').value(1).value(most_nodes).close(']');
}

} // namespace bench

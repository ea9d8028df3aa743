#include "bench/workload/adaptive_pool.hpp"

#include "bench/workload/node_ranges.hpp"
#include "bench/workload/trimmed_growth.hpp"

#include <type_traits>

namespace bench {

namespace {

/// Inserts and erases twice, and looks at the memory between.
class adaptive_pool_run {
public:
    /// `bounds` has a place for each range and one more, all of them touched; `before` are the bytes that the
    /// growth of memory is counted from.
    adaptive_pool_run(const range_cell& cell, range_bounds bounds, std::int64_t before, run_options& options)
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

    const range_cell& cell_;
    range_bounds bounds_;
    std::int64_t before_;
    run_options& options_;
    node_list list_;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

} // namespace

row run_adaptive_pool(arguments& given, run_options& options) {
    return run_on_ranges<adaptive_pool_run>("adaptive-pool", given, options);
}

void describe_adaptive_pool(json_writer& json) {
    describe_node_ranges(json);
}

} // namespace bench

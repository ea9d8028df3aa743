#include "bench/workload/burst.hpp"

#include "bench/workload/node_ranges.hpp"

#include <type_traits>

namespace bench {

namespace {

/// Inserts and erases by ranges, twice; one by one; and frees all nodes at once.
class burst_run {
public:
    burst_run(const range_cell& cell, range_bounds bounds, std::int64_t before, run_options&)
        : cell_(cell), bounds_(bounds), before_(before) {}

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
        look();
        erase<Nodes>("erase_ns", source);
        begin_again(source);
        insert<Nodes>("insert_warm_ns", source);
        erase<Nodes>("erase_warm_ns", source);
        begin_again(source);
        figure("push_ns", time([&] { single_nodes::insert(source, list_, cell_.nodes, 1); }));
        figure("pop_ns", time([&] { single_nodes::pop_all(source, list_); }));
        begin_again(source);
        Nodes::insert(source, list_, cell_.ranges(), cell_.range);
        figure("clear_ns", time([&] { Nodes::clear(source, list_, cell_.nodes); }));
    }

    /// The floor has room for all nodes once.
    template <class Source>
    static void begin_again([[maybe_unused]] Source& source) noexcept {
        if constexpr (std::is_same_v<Source, null_source>) {
            source.release();
        }
    }

    template <class Nodes, class Source>
    void insert(const char* name, Source& source) {
        const cost taken = time([&] { Nodes::insert(source, list_, cell_.ranges(), cell_.range); });
        timed_ += taken;
        figure(name, taken);
        sum_ = find_ranges(list_, cell_.range, bounds_);
    }

    template <class Nodes, class Source>
    void erase(const char* name, Source& source) {
        const cost taken = time([&] { Nodes::erase(source, bounds_, cell_.range); });
        timed_ += taken;
        figure(name, taken);
    }

    template <class Phase>
    static cost time(Phase&& phase) {
        const stopwatch watch;
        phase();
        return watch.elapsed();
    }

    /// Effects: writes what is held while all nodes are there.
    void look() {
        const auto held_bytes = static_cast<double>(inspect_memory().bytes - before_);
        const auto node_bytes = static_cast<double>(cell_.node_bytes());
        figures_.emplace_back("held_bytes", held_bytes);
        figures_.emplace_back("overhead_percent", (held_bytes / node_bytes - 1) * 100);
        figures_.emplace_back("overhead_bytes", (held_bytes - node_bytes) / static_cast<double>(cell_.nodes));
    }

    void figure(const char* name, const cost& taken) {
        figures_.emplace_back(name, static_cast<double>(taken.cpu_ns) / static_cast<double>(cell_.nodes));
    }

    const range_cell& cell_;
    range_bounds bounds_;
    std::int64_t before_;
    node_list list_;
    cost timed_;
    std::uint64_t sum_ = 0;
    std::vector<std::pair<std::string, double>> figures_;
};

} // namespace

row run_burst(arguments& given, run_options& options) {
    return run_on_ranges<burst_run>("burst", given, options);
}

void describe_burst(json_writer& json) {
    describe_node_ranges(json);
}

} // namespace bench

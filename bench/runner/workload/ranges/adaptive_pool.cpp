/// The article's test of adaptive pools: the nodes of a list are inserted and erased in ranges of one length, with an
/// allocation for each node or for each range (bursts).
///
/// The list is the runner's own, under every strategy: nodes of two pointers and a number, 24 bytes each.
/// Ranges are inserted at the end and erased from the front, first with a new allocator, then once more with
/// the used one.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 2 and 3.

#include "runner/workload/experiments.hpp"
#include "runner/workload/ranges/node_ranges.hpp"
#include "runner/workload/trimmed_growth.hpp"

namespace bench {

namespace {

/// Inserts and erases all nodes twice, and records the memory held in between.
class adaptive_pool_run : public range_run {
public:
    adaptive_pool_run(const range_cell& cell, range_bounds bounds, std::int64_t baseline,
                      run_options& options)
        : range_run(cell, bounds, baseline), options_(options) {}

    template <class Nodes, class Source>
    void run(Source& source) {
        insert<Nodes>("insert_ns", source);
        record_held_memory();
        erase<Nodes>("erase_ns", source);
        record_kept_memory(source);
        begin_again(source);
        insert<Nodes>("insert_warm_ns", source);
        erase<Nodes>("erase_warm_ns", source);
        if (const auto trimmed = trimmed_growth(source, baseline(), options_)) {
            figure("trimmed_bytes", static_cast<double>(*trimmed));
        }
    }

private:
    template <class Source>
    void record_kept_memory([[maybe_unused]] const Source& source) {
        const held_memory erased = inspect_memory();
        figure("erased_bytes", static_cast<double>(erased.bytes - baseline()));
        figure("offered_bytes", static_cast<double>(erased.offered_bytes));
        if constexpr (requires { source.stats().chunk_bytes; }) {
            const auto kept = source.stats();
            figure("pool_bytes", static_cast<double>(kept.chunk_bytes + kept.large_bytes));
        }
    }

    run_options& options_;
};

} // namespace

row run_adaptive_pool(arguments& args, run_options& options) {
    return run_on_ranges<adaptive_pool_run>("adaptive-pool", args, options);
}

void describe_adaptive_pool(json_writer& json) {
    describe_node_ranges(json);
}

} // namespace bench

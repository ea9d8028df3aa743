/// The article's test of bursts: the nodes of a list are inserted and erased in ranges of one length, with a request
/// for each node or for each range. It also times single nodes, and the other places of bursts that the article names:
/// copy construction, the assignment of a range to a list of half as many nodes, and clear().
///
/// The list is that of adaptive-pool (workload/ranges/node_list.hpp). That experiment measures the memory of pools;
/// this one measures the speed of heaps and pools.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.

#include "runner/workload/experiments.hpp"
#include "runner/workload/ranges/node_ranges.hpp"

namespace bench {

namespace {

/// Inserts and erases ranges twice, then single nodes, then copies, assigns and clears the list.
class burst_run : public range_run {
public:
    burst_run(const range_cell& cell, range_bounds bounds, std::int64_t baseline, run_options&)
        : range_run(cell, bounds, baseline) {}

    template <class Nodes, class Source>
    void run(Source& source) {
        insert<Nodes>("insert_ns", source);
        record_held_memory();
        erase<Nodes>("erase_ns", source);
        begin_again(source);
        insert<Nodes>("insert_warm_ns", source);
        erase<Nodes>("erase_warm_ns", source);
        begin_again(source);
        time("push_ns", [&] { single_nodes::insert(source, list(), cell().nodes, 1); });
        time("pop_ns", [&] { single_nodes::pop_all(source, list()); });
        begin_again(source);
        copy_and_assign<Nodes>(source);
        begin_again(source);
        Nodes::insert(source, list(), cell().ranges(), cell().range);
        time("clear_ns", [&] { Nodes::clear(source, list(), cell().nodes); });
    }

private:
    /// Effects: copies and assigns a list that is in the runner's memory.
    template <class Nodes, class Source>
    void copy_and_assign(Source& source) {
        const static_buffer memory(buffer_state::warm, cell().node_bytes(), cell().node_bytes());
        null_source places(memory.span());
        node_list original;
        single_nodes::insert(places, original, cell().ranges(), cell().range);
        time("copy_ns", [&] { Nodes::assign(source, list(), original, cell().nodes); });
        check_values();
        Nodes::clear(source, list(), cell().nodes);
        begin_again(source);
        Nodes::insert(source, list(), 1, cell().nodes / 2);
        time("assign_ns", [&] { Nodes::assign(source, list(), original, cell().nodes); });
        check_values();
        Nodes::clear(source, list(), cell().nodes);
    }
};

} // namespace

row run_burst(arguments& args, run_options& options) {
    return run_on_ranges<burst_run>("burst", args, options);
}

void describe_burst(json_writer& json) {
    describe_node_ranges(json);
}

} // namespace bench

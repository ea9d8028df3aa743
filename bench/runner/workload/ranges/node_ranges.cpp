#include "runner/workload/ranges/node_ranges.hpp"

namespace bench {

bool has_node_ranges(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null ||
           (s.can(capability::reuses) && s.is_for_everything() && (s.bursts || s.frees_every_block()));
}

range_cell parse_node_ranges(arguments& args, run_options& options) {
    range_cell cell{};
    cell.subject = choose_strategy(args, options, has_node_ranges);
    const std::int64_t nodes = args.number("nodes", 2'000'000, 1, most_nodes);
    const std::int64_t range = args.number("range", -1, 1, most_nodes);
    if (nodes % range != 0) {
        throw usage_error("--range " + std::to_string(range) + ": allowed are divisors of --nodes " +
                          std::to_string(nodes) + ", because all ranges have one length");
    }
    cell.nodes = static_cast<std::size_t>(nodes);
    cell.range = static_cast<std::size_t>(range);
    return cell;
}

void describe_node_ranges(json_writer& json) {
    describe_strategies(json, has_node_ranges, pool_listing::strategies);
    json.key("range").open('[').value(1).value(most_nodes).close(']');
    json.key("nodes").open('[').value(1).value(most_nodes).close(']');
}

} // namespace bench

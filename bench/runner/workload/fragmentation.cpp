/// Benchmark V: the work of Benchmark I in a program with a previously used heap.
///
/// Chunks of random sizes are allocated from the global heap, and some of them, drawn at random, are freed. The
/// others stay. This affects the global allocator only, as in the paper, unless the local allocators take their
/// chunks from that heap too.
///
/// Source: P0213R0, section 13.

#include "runner/strategy/global_source.hpp"
#include "runner/workload/density/measure.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/perturbation.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace bench {

namespace {

constexpr unsigned default_chunks_log2 = 16; // P0213R0
constexpr unsigned most_chunks_log2 = 24;

/// The share of freed chunks: one in `one_in`.
struct freed_share {
    std::string_view name;
    std::size_t one_in;
};
constexpr freed_share shares[] = {{"all", 1}, {"half", 2}, {"quarter", 4}, {"eighth", 8}};
constexpr std::string_view untouched = "none";

struct fragmentation_cell {
    density_cell work;
    std::string freed;
    std::string upstream;
    std::size_t chunks;

    [[nodiscard]] std::size_t freed_chunks() const {
        return chunks / std::ranges::find(shares, freed, &freed_share::name)->one_in;
    }
};

std::vector<std::string> share_names() {
    std::vector<std::string> names{std::string(untouched)};
    for (const freed_share& share : shares) {
        names.emplace_back(share.name);
    }
    return names;
}

/// True if the strategy is also compiled with chunks from the heap.
bool has_heap_upstream(const strategy& s) noexcept {
    return s.reuse == reuse_kind::standard && !s.is_contender();
}

fragmentation_cell parse(arguments& args, run_options& options) {
    fragmentation_cell cell;
    cell.freed = args.choice("freed", share_names());
    const auto upstreams =
        survey_only ? std::vector<std::string>{"cache"} : std::vector<std::string>{"cache", "heap"};
    cell.upstream = args.choice("upstream", upstreams, upstreams.front());
    const bool from_heap = cell.upstream == "heap";
    const auto chunks_log2 = args.number("perturb-chunks-log2", default_chunks_log2, 3, most_chunks_log2);
    cell.chunks = std::size_t{1} << chunks_log2;
    cell.work = parse_density(args, options, has_fragmentation, from_heap ? "none" : "warm");
    if (from_heap) {
        cell.work.upstream = chunk_source::heap;
        if (cell.work.buffer != "none") {
            throw usage_error("--upstream heap with --buffer " + cell.work.buffer +
                              ": an allocator that has a buffer takes nothing from the heap; give --buffer "
                              "none");
        }
    }
    if (from_heap && !has_heap_upstream(cell.work.subject)) {
        throw usage_error(
            "--upstream heap with --strategy " + options.strategy +
            ": the orders of reuse and the contenders have one upstream each; give multipool, or --upstream "
            "cache");
    }
    if (chunks_log2 != default_chunks_log2) {
        options.notes.push_back("the heap was used for " + std::to_string(cell.chunks) +
                                " chunks, not 2^16 as in the paper");
    }
    return cell;
}

} // namespace

bool has_fragmentation(const strategy& s) noexcept {
    return has_density(s) && !s.locked && s.mechanism != mechanism_kind::monotonic_walked;
}

row run_fragmentation(arguments& args, run_options& options) {
    const fragmentation_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "fragmentation";
    result.write_parameters = [cell](json_writer& json) {
        write_density_parameters(cell.work, json);
        json.member("freed", cell.freed).member("upstream", cell.upstream);
    };
    global_source heap;
    std::optional<perturbation<global_source>> used_heap;
    measure_density(cell.work, options, result, [&] {
        if (cell.freed != untouched) {
            used_heap.emplace(heap, cell.chunks, cell.freed_chunks(),
                              static_cast<std::uint64_t>(options.seed));
        }
    });
    return result;
}

void describe_fragmentation(json_writer& json) {
    describe_strategies(json, has_fragmentation);
    json.key("freed").open('[');
    for (const std::string& name : share_names()) {
        json.value(name);
    }
    json.close(']');
    json.key("upstreams").open('[').value("cache").value("heap").close(']');
    json.key("heap_upstream").open('[');
    for (const std::string& name :
         strategy_names([](const strategy& s) { return has_fragmentation(s) && has_heap_upstream(s); })) {
        json.value(name);
    }
    json.close(']');
    json.key("perturb_chunks_log2").open('[').value(3).value(most_chunks_log2).close(']');
}

} // namespace bench

/// The cost of an order of frees for later allocations: N blocks are freed and as many allocated again.
///
/// Patterns: all blocks are freed in the order of their allocation, in reverse or at random, and allocated again; one
/// random block is freed and at once replaced; a random half is freed and allocated again. The first word of a block
/// is written when it is allocated and read when it is freed. Sizes are equal, or drawn for each allocation. Orders
/// and sizes are drawn before the clock starts.
///
/// Source: none of the papers frees its blocks at random. There a list of free blocks shows its weakness: each
/// allocation waits for a link in a block that left the cache long ago.

#include "runner/harness/memory.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/harness/stopwatch.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/churn/reuse_work.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <new>

namespace bench {

namespace {

constexpr std::int64_t most_operations = 100'000'000'000;
constexpr std::int64_t least_block_bytes = 16;
constexpr std::int64_t most_block_bytes = 1 << 20;
constexpr std::int64_t most_live = 1 << 26;

struct reuse_cell {
    strategy subject;
    reuse_shape shape;
    std::size_t operations;
    std::string pattern;
    std::string sizes;

    [[nodiscard]] block_shape block() const noexcept { return {shape.block_bytes, shape.alignment}; }
    [[nodiscard]] std::size_t bytes_expected() const noexcept {
        return shape.live * (shape.block_bytes + 32) * (shape.mixed ? 2 : 1) + (std::size_t{1} << 20);
    }
};

/// True for strategies that free each block and reuse its memory.
bool has_reuse(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null ||
           (s.is_plain() && s.destruction == destruction_kind::normal && s.can(capability::reuses));
}

bool serves_mixed(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null || s.can(capability::any_size);
}

reuse_cell parse(arguments& args, run_options& options) {
    reuse_cell cell{};
    cell.subject = choose_strategy(args, options, has_reuse);
    const auto size = [&args](const char* name, std::int64_t default_value, std::int64_t least,
                              std::int64_t most) {
        return static_cast<std::size_t>(args.number(name, default_value, least, most));
    };
    cell.shape.block_bytes = size("block-bytes", 64, least_block_bytes, most_block_bytes);
    cell.shape.live = size("live", 1 << 12, 1, most_live);
    cell.operations = size("operations", 4'000'000, 1, most_operations);
    const auto& names = reuse_pattern_names;
    cell.pattern = args.choice("pattern", {std::begin(names), std::end(names)}, "random");
    cell.shape.pattern = static_cast<reuse_pattern>(std::ranges::find(names, cell.pattern) - names);
    const auto sizes =
        survey_only ? std::vector<std::string>{"mixed"} : std::vector<std::string>{"same", "mixed"};
    cell.sizes = args.choice("sizes", sizes, sizes.front());
    cell.shape.mixed = cell.sizes == "mixed";
    cell.shape.alignment =
        cell.shape.mixed ? 8 : std::min<std::size_t>(cell.shape.block_bytes & -cell.shape.block_bytes, 16);
    cell.shape.seed = static_cast<std::uint64_t>(options.seed);
    refuse_unserved(cell.subject, cell.block().stride());
    if (cell.shape.mixed && !serves_mixed(cell.subject)) {
        throw usage_error("--sizes mixed: " + options.strategy +
                          " serves blocks of one size; give --sizes same");
    }
    return cell;
}

/// Times the rounds.
template <bool Mixed>
class reuse_run {
public:
    reuse_run(const reuse_cell& cell, const reuse_input& input, row& result)
        : cell_(cell), input_(input), result_(result) {}

    template <class Source>
    void operator()(Source& source) {
        reuse_work<Mixed> work(input_);
        const stopwatch filling;
        work.fill(source);
        const cost filled = filling.elapsed();
        work.round(source); // the pool reaches its steady state
        const std::size_t blocks_per_round = input_.freed().size();
        const std::size_t rounds = (cell_.operations + blocks_per_round - 1) / blocks_per_round;
        const stopwatch watch;
        for (std::size_t done = 0; done != rounds; ++done) {
            work.round(source);
        }
        result_.timed = watch.elapsed();
        work.empty(source);
        result_.operations = static_cast<std::int64_t>(rounds * blocks_per_round);
        result_.iterations = static_cast<std::int64_t>(rounds);
        result_.checksum = to_hexadecimal(work.checksum());
        result_.add_figure("pair_ns", static_cast<double>(result_.timed.cpu_ns) /
                                          static_cast<double>(rounds * blocks_per_round));
        result_.add_figure("fill_ns",
                           static_cast<double>(filled.cpu_ns) / static_cast<double>(cell_.shape.live));
    }

private:
    const reuse_cell& cell_;
    const reuse_input& input_;
    row& result_;
};

template <bool Mixed>
void measure(const reuse_cell& cell, row& result) {
    const reuse_input input(cell.shape);
    reuse_run<Mixed> run(cell, input, result);
    if (cell.subject.mechanism == mechanism_kind::null) {
        const std::size_t bytes = null_stack::bytes(cell.shape);
        const static_buffer memory(buffer_state::warm, bytes, bytes);
        null_stack null(memory.span(), cell.shape);
        run(null);
    } else if constexpr (Mixed) {
        // A size that no sized source is compiled for.
        constexpr constant_shape<4096, 8> any_shape;
        result.spills = static_cast<std::int64_t>(with_source(cell.subject, {}, any_shape, run));
    } else {
        result.spills = static_cast<std::int64_t>(with_source(cell.subject, {}, cell.block(), run));
    }
}

} // namespace

row run_reuse(arguments& args, run_options& options) {
    const reuse_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "reuse";
    result.write_parameters = [cell](json_writer& json) {
        json.member("block_bytes", cell.shape.block_bytes)
            .member("live", cell.shape.live)
            .member("pattern", cell.pattern)
            .member("sizes", cell.sizes)
            .member("operations", cell.operations);
    };
    try {
        expect_room(cell.bytes_expected(), options.notes);
        if (cell.shape.mixed) {
            measure<true>(cell, result);
        } else if constexpr (!survey_only) {
            measure<false>(cell, result);
        }
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_reuse(json_writer& json) {
    describe_strategies(json, has_reuse, pool_listing::strategies);
    json.key("mixed_sizes").open('[');
    for (const std::string& name :
         strategy_names([](const strategy& s) { return has_reuse(s) && serves_mixed(s); })) {
        json.value(name);
    }
    json.close(']');
    json.key("block_bytes").open('[').value(least_block_bytes).value(most_block_bytes).close(']');
    json.key("live").open('[').value(1).value(most_live).close(']');
    json.key("operations").open('[').value(1).value(most_operations).close(']');
}

} // namespace bench

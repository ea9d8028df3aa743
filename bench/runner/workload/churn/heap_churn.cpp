/// A test of fragmentation: repeatedly, a random block is freed and a block of random size allocated, with a constant
/// number of live blocks.
///
/// Both ends of a new block are written, so that its memory is present. Its first word is read when it is freed.
/// Places and sizes are drawn outside the timed part, in batches of some ten thousand. After each tenth of the run,
/// the memory held is compared with the live bytes.
///
/// Source: P0089R1, sections 8 and 9, exclude coalescing allocators from the benchmarks of long-running
/// systems, for which they are made. The measure is that of Johnstone and Wilson, "The memory fragmentation
/// problem: solved?" (1998): peak of the memory held, divided by the peak of the live bytes.

#include "runner/harness/memory.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/churn/churn_work.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/trimmed_growth.hpp"

#include <algorithm>
#include <new>
#include <vector>

namespace bench {

namespace {

constexpr std::int64_t most_operations = 100'000'000'000;
constexpr std::int64_t most_live = 100'000'000;
constexpr std::int64_t most_block_bytes = 1 << 20;
constexpr int tenths = 10;
/// A shape that no sized source is compiled for.
constexpr constant_shape<4096, churn_alignment> any_shape;

struct heap_churn_cell {
    strategy subject;
    churn_shape shape;
    std::size_t operations;

    [[nodiscard]] std::size_t bytes_expected() const noexcept {
        const std::size_t once = shape.live * ((shape.least_bytes + shape.most_bytes) / 2 + 16);
        return 2 * once + (std::size_t{1} << 20);
    }
};

/// True for strategies that free each block, reuse its memory and serve any size. The small-object pool is excluded:
/// it passes requests of these sizes to its upstream.
bool has_heap_churn(const strategy& s) noexcept {
    const bool in_a_region = is_in_a_region(s.mechanism) && s.version == vector_version::none;
    return s.mechanism == mechanism_kind::null || in_a_region ||
           (s.frees_every_block() && s.can(capability::any_size | capability::reuses) &&
            s.serves_large_blocks() && s.mechanism != mechanism_kind::small_object_pool);
}

heap_churn_cell parse(arguments& args, run_options& options) {
    heap_churn_cell cell{};
    cell.subject = choose_strategy(args, options, has_heap_churn);
    const auto size = [&args](const char* name, std::int64_t default_value, std::int64_t least,
                              std::int64_t most) {
        return static_cast<std::size_t>(args.number(name, default_value, least, most));
    };
    cell.operations = size("operations", 10'000'000, tenths, most_operations);
    cell.shape.live = size("live", 100'000, 1, most_live);
    cell.shape.least_bytes = size("least-bytes", 16, sizeof(std::uint64_t) + 1, most_block_bytes);
    cell.shape.most_bytes = size("most-bytes", 4096, sizeof(std::uint64_t) + 1, most_block_bytes);
    if (cell.shape.least_bytes > cell.shape.most_bytes) {
        throw usage_error("--least-bytes " + std::to_string(cell.shape.least_bytes) +
                          " is more than --most-bytes " + std::to_string(cell.shape.most_bytes) +
                          ": no block could have such a size");
    }
    cell.shape.seed = static_cast<std::uint64_t>(options.seed);
    return cell;
}

/// The runner's own memory, allocated before the first measurement of memory.
struct churn_memory {
    explicit churn_memory(const churn_shape& shape) : input(shape), blocks(shape.live) {}

    churn_input input;
    std::vector<live_block> blocks;
};

/// Fills, and churns in ten parts, with a measurement of the memory after each.
class heap_churn_run {
public:
    heap_churn_run(const heap_churn_cell& cell, churn_memory& memory, std::int64_t baseline, row& result,
                   run_options& options)
        : cell_(cell), memory_(memory), baseline_(baseline), result_(result), options_(options) {}

    template <class Source>
    void operator()(Source& source) {
        churn_work work(memory_.input, memory_.blocks);
        const stopwatch filling;
        work.fill(source);
        const cost filled = filling.elapsed();
        inspect();
        std::size_t done = 0;
        for (int tenth = 1; tenth <= tenths; ++tenth) {
            const std::size_t end = cell_.operations / tenths * static_cast<std::size_t>(tenth) +
                                    (tenth == tenths ? cell_.operations % tenths : 0);
            result_.timed += work.churn(source, end - done);
            done = end;
            memory_figure("fragmentation_" + std::to_string(10 * tenth), inspect());
        }
        write(filled);
        work.empty(source);
        result_.checksum = to_hexadecimal(work.checksum());
        if (const auto trimmed = trimmed_growth(source, baseline_, options_)) {
            memory_figure("trimmed_bytes", static_cast<double>(*trimmed));
        }
    }

private:
    /// Returns: the memory held, relative to the live bytes.
    double inspect() {
        const held_memory held = inspect_memory();
        held_bytes_ = static_cast<double>(held.bytes - baseline_);
        offered_bytes_ = static_cast<double>(held.offered_bytes);
        peak_held_bytes_ = std::max(peak_held_bytes_, held_bytes_);
        return held_bytes_ / static_cast<double>(memory_.input.live_bytes());
    }

    void write(const cost& filled) {
        const auto live = static_cast<double>(cell_.shape.live);
        const auto operations = static_cast<double>(cell_.operations);
        const auto peak_live_bytes = static_cast<double>(memory_.input.peak_live_bytes());
        result_.operations = static_cast<std::int64_t>(cell_.operations);
        result_.iterations = 1;
        figure("pair_ns", static_cast<double>(result_.timed.cpu_ns) / operations);
        figure("fill_ns", static_cast<double>(filled.cpu_ns) / live);
        figure("peak_live_bytes", peak_live_bytes);
        memory_figure("peak_held_bytes", peak_held_bytes_);
        memory_figure("offered_bytes", offered_bytes_);
        memory_figure("fragmentation", peak_held_bytes_ / peak_live_bytes);
        memory_figure("overhead_bytes",
                      (held_bytes_ - static_cast<double>(memory_.input.live_bytes())) / live);
    }

    void figure(std::string name, double value) { result_.add_figure(std::move(name), value); }

    /// Effects: adds the figure, unless the strategy is null: its places all have the largest size, so its memory is
    /// meaningless.
    void memory_figure(std::string name, double value) {
        if (cell_.subject.mechanism != mechanism_kind::null) {
            figure(std::move(name), value);
        }
    }

    const heap_churn_cell& cell_;
    churn_memory& memory_;
    std::int64_t baseline_;
    row& result_;
    run_options& options_;
    double held_bytes_ = 0;
    double offered_bytes_ = 0;
    double peak_held_bytes_ = 0;
};

/// Returns: the memory of strategies that work in a region, as cold as memory fresh from the system.
static_buffer make_region(const heap_churn_cell& cell) {
    const bool has_region = is_in_a_region(cell.subject.mechanism);
    return {has_region ? buffer_state::cold : buffer_state::none, cell.bytes_expected(), 0};
}

void measure(const heap_churn_cell& cell, churn_memory& memory, std::int64_t baseline, row& result,
             run_options& options) {
    heap_churn_run run(cell, memory, baseline, result, options);
    if (cell.subject.mechanism == mechanism_kind::null) {
        const std::size_t bytes = null_places::bytes(cell.shape);
        const static_buffer memory_buffer(buffer_state::warm, bytes, bytes);
        null_places null(memory_buffer.span(), cell.shape);
        run(null);
    } else {
        const static_buffer region = make_region(cell);
        result.spills = static_cast<std::int64_t>(with_source(cell.subject, region.span(), any_shape, run));
    }
}

/// Effects: warms the code and the libraries, as in a running program.
void warm_up(heap_churn_cell cell) {
    cell.shape.live = std::min<std::size_t>(cell.shape.live, 64);
    cell.operations = 10'000;
    churn_memory memory(cell.shape);
    row ignored_row;
    run_options ignored_options;
    measure(cell, memory, 0, ignored_row, ignored_options);
}

/// Effects: warms up and measures the cell. The baseline of memory is taken after the runner's warm-up and before the
/// strategy's, because a strategy's first chunks are part of its memory.
void measure_warm(const heap_churn_cell& cell, row& result, run_options& options) {
    churn_memory memory(cell.shape);
    heap_churn_cell null = cell;
    null.subject = strategies().front();
    warm_up(null);
    trim_process();
    const std::int64_t baseline = inspect_memory().bytes;
    warm_up(cell);
    measure(cell, memory, baseline, result, options);
}

} // namespace

row run_heap_churn(arguments& args, run_options& options) {
    const heap_churn_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "heap-churn";
    result.write_parameters = [cell](json_writer& json) {
        json.member("operations", cell.operations)
            .member("live", cell.shape.live)
            .member("least_bytes", cell.shape.least_bytes)
            .member("most_bytes", cell.shape.most_bytes);
    };
    try {
        expect_room(cell.bytes_expected(), options.notes);
        bring_in(std::min(cell.bytes_expected(), most_to_bring_in()));
        measure_warm(cell, result, options);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_heap_churn(json_writer& json) {
    describe_strategies(json, has_heap_churn, pool_listing::strategies);
    json.key("operations").open('[').value(tenths).value(most_operations).close(']');
    json.key("live").open('[').value(1).value(most_live).close(']');
    json.key("least_bytes").open('[').value(sizeof(std::uint64_t) + 1).value(most_block_bytes).close(']');
    json.key("most_bytes").open('[').value(sizeof(std::uint64_t) + 1).value(most_block_bytes).close(']');
}

} // namespace bench

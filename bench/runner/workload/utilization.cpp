/// Benchmark III: few of the blocks that are allocated in total are in use at a time.
///
/// Blocks of one size are allocated until the active amount is in use. Then the oldest block is freed and a new one
/// allocated, until the total was allocated; at the end the remaining blocks are freed. The first byte of every block
/// is incremented after its allocation.
///
/// Source: P0089R1, section 9; P0213R0, section 11.

#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/block_loops.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <chrono>
#include <new>

namespace bench {

namespace {

constexpr unsigned most_total_log2 = 40;
constexpr unsigned most_active_log2 = 34;
constexpr unsigned least_block_log2 = 3;

struct utilization_cell {
    strategy subject;
    unsigned total_log2;
    unsigned active_log2;
    unsigned block_log2;
    std::string buffer;
    std::string final_frees;

    [[nodiscard]] std::size_t total_bytes() const noexcept { return std::size_t{1} << total_log2; }
    [[nodiscard]] std::size_t active_bytes() const noexcept { return std::size_t{1} << active_log2; }
    [[nodiscard]] std::size_t block_bytes() const noexcept { return std::size_t{1} << block_log2; }
    [[nodiscard]] block_shape shape() const noexcept { return {block_bytes(), block_alignment}; }
    [[nodiscard]] std::size_t active_blocks() const noexcept {
        return std::size_t{1} << (active_log2 - block_log2);
    }
    [[nodiscard]] std::size_t total_blocks() const noexcept {
        return std::size_t{1} << (total_log2 - block_log2);
    }
};

/// null: its blocks are present from the start, and used in turn, with gaps of a cache line between them. Without
/// gaps, at distances of a power of two, all blocks would share a few sets of the first-level cache, and the accesses
/// would cost more than most allocators do.
class null_ring {
public:
    static constexpr std::size_t gap_bytes = 64;

    /// Requires: the size of `memory` is a multiple of `block_bytes + gap_bytes`.
    null_ring(std::span<std::byte> memory, std::size_t block_bytes) noexcept
        : memory_(memory), step_(block_bytes + gap_bytes) {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) noexcept {
        std::byte* block = memory_.data() + offset_;
        offset_ = offset_ + step_ == memory_.size() ? 0 : offset_ + step_;
        return block;
    }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}

private:
    std::span<std::byte> memory_;
    std::size_t step_;
    std::size_t offset_ = 0;
};

/// Returns: true if blocks are not reused. A multipool over a monotonic allocator does not reuse blocks above its
/// pooled sizes.
bool never_reuses(const utilization_cell& cell) noexcept {
    return !cell.subject.can(capability::reuses) ||
           (cell.subject.mechanism == mechanism_kind::multipool_over_monotonic &&
            cell.block_bytes() > mallard::multipool_options{}.largest_pooled_bytes);
}

/// Returns: an estimate of the memory that the strategy takes from its upstream; an upper bound for an initial
/// buffer.
std::size_t bytes_expected(const utilization_cell& cell) noexcept {
    constexpr std::size_t slack = std::size_t{1} << 20;
    if (never_reuses(cell)) {
        // Each block that goes straight upstream has a header.
        return cell.total_bytes() + cell.total_bytes() / 64 + slack;
    }
    // A multipool's chunks grow up to a largest size, and the last one is mostly unused.
    return 4 * cell.active_bytes() + 16 * slack;
}

/// Times the three steps with one allocator.
class utilization_run {
public:
    utilization_run(const utilization_cell& cell, std::span<std::byte*> ring, std::int64_t baseline_bytes)
        : cell_(cell), ring_(ring), baseline_bytes_(baseline_bytes) {}

    template <class Source>
    void operator()(Source& source) {
        const std::size_t block_bytes = cell_.block_bytes();
        const stopwatch watch;
        fill_ring(source, block_bytes, ring_);
        const std::size_t oldest =
            churn_ring(source, block_bytes, ring_, cell_.total_blocks() - ring_.size());
        timed_ = watch.elapsed();
        held_bytes_ = resident_bytes() - baseline_bytes_;
        free_all(source, oldest);
    }

    void write(row& result) const {
        result.timed = timed_;
        result.operations = static_cast<std::int64_t>(cell_.total_blocks());
        result.iterations = 1;
        result.add_figure("held_bytes", static_cast<double>(held_bytes_));
        result.add_figure("free_ns", static_cast<double>(free_ns_) / static_cast<double>(ring_.size()));
    }

private:
    template <class Source>
    void free_all(Source& source, std::size_t oldest) {
        using clock = std::chrono::steady_clock;
        const stopwatch watch;
        // Reading the processor time takes as long as freeing a hundred blocks. This clock is faster.
        const auto begin = clock::now();
        empty_ring(source, cell_.block_bytes(), ring_, oldest);
        free_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
        if (cell_.final_frees == "timed") {
            timed_ += watch.elapsed();
        }
    }

    const utilization_cell& cell_;
    std::span<std::byte*> ring_;
    std::int64_t baseline_bytes_;
    cost timed_;
    std::int64_t held_bytes_ = 0;
    std::int64_t free_ns_ = 0;
};

/// True if the experiment has the strategy. Contenders that are compiled for nodes do not serve blocks of a
/// kilobyte.
bool has_utilization(const strategy& s) noexcept {
    return (s.frees_every_block() && s.serves_large_blocks()) || s.mechanism == mechanism_kind::null;
}

void refuse_order(const char* less, unsigned less_log2, const char* more, unsigned more_log2,
                  const char* reason) {
    if (less_log2 > more_log2) {
        throw usage_error("--" + std::string(less) + " " + std::to_string(less_log2) + " is more than --" +
                          more + " " + std::to_string(more_log2) + ": " + reason);
    }
}

utilization_cell parse(arguments& args, run_options& options) {
    utilization_cell cell{};
    cell.subject = choose_strategy(args, options, has_utilization);
    cell.total_log2 = static_cast<unsigned>(args.number("total-log2", -1, least_block_log2, most_total_log2));
    cell.active_log2 =
        static_cast<unsigned>(args.number("active-log2", -1, least_block_log2, most_active_log2));
    cell.block_log2 =
        static_cast<unsigned>(args.number("block-log2", -1, least_block_log2, most_active_log2));
    cell.buffer = args.choice("buffer", {"none", "cold", "warm"}, "warm");
    cell.final_frees = args.choice("final-frees", {"timed", "untimed"}, "timed");
    refuse_order("block-log2", cell.block_log2, "active-log2", cell.active_log2,
                 "the active bytes must hold at least one block");
    refuse_order("active-log2", cell.active_log2, "total-log2", cell.total_log2,
                 "the active bytes are a part of the total");
    return cell;
}

void write_parameters(const utilization_cell& cell, json_writer& json) {
    json.member("total_log2", cell.total_log2)
        .member("active_log2", cell.active_log2)
        .member("block_log2", cell.block_log2)
        .member("buffer", cell.buffer)
        .member("final_frees", cell.final_frees);
}

void measure(const utilization_cell& cell, row& result) {
    std::vector<std::byte*> ring(cell.active_blocks());
    const std::int64_t baseline_bytes = resident_bytes();
    const std::size_t expected = bytes_expected(cell);
    const buffer_state state = parse_buffer_state(cell.subject.uses_buffer() ? cell.buffer : "none");
    const static_buffer buffer(state, expected, expected);
    utilization_run run(cell, ring, baseline_bytes);
    if (cell.subject.mechanism == mechanism_kind::null) {
        const std::size_t bytes = cell.active_blocks() * (cell.block_bytes() + null_ring::gap_bytes);
        const static_buffer memory(buffer_state::warm, bytes, bytes);
        null_ring null(memory.span(), cell.block_bytes());
        run(null);
    } else {
        result.spills =
            static_cast<std::int64_t>(with_source(cell.subject, buffer.span(), cell.shape(), run));
    }
    run.write(result);
}

/// Effects: warms the code and the libraries, as in a running program.
void warm_up(utilization_cell cell) {
    cell.active_log2 = cell.block_log2;
    cell.total_log2 = cell.block_log2 + 4;
    cell.buffer = "none";
    row ignored_row;
    measure(cell, ignored_row);
}

} // namespace

row run_utilization(arguments& args, run_options& options) {
    const utilization_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "utilization";
    result.write_parameters = [cell](json_writer& json) { write_parameters(cell, json); };
    try {
        const std::size_t expected = bytes_expected(cell);
        expect_room(expected, options.notes);
        if (cell.buffer != "warm" || !cell.subject.uses_buffer()) {
            bring_in(std::min(expected, most_to_bring_in()));
        }
        warm_up(cell);
        measure(cell, result);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_utilization(json_writer& json) {
    describe_strategies(json, has_utilization);
    json.key("total_log2").open('[').value(least_block_log2).value(most_total_log2).close(']');
    json.key("active_log2").open('[').value(least_block_log2).value(most_active_log2).close(']');
    json.key("block_log2").open('[').value(least_block_log2).value(most_active_log2).close(']');
}

} // namespace bench

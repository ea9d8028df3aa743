/// Benchmark IV: threads that allocate concurrently.
///
/// Each thread repeats the life of an allocator: it constructs the allocator, many times allocates a block,
/// increments the first byte and frees the block, and destroys the allocator. The global allocator and shared
/// allocators live throughout. On request, the neighbouring thread frees each block.
///
/// Source: P0089R1, sections 10 and 11; P0213R0, section 12.

#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/harness/thread_team.hpp"
#include "runner/strategy/handover.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/experiments.hpp"

#include <mallard/adapt/synchronized.hpp>
#include <mallard/local/concurrent_multipool.hpp>

#include <algorithm>
#include <memory>
#include <new>
#include <thread>

namespace bench {

namespace {

constexpr unsigned most_threads = 256;
constexpr unsigned most_iterations_log2 = 30;
constexpr unsigned most_multiplier = 1'000'000;
constexpr unsigned least_block_log2 =
    4; ///< equal to block_alignment, so that a monotonic allocator's blocks are adjacent
constexpr unsigned most_block_log2 = 30;
static_assert(std::size_t{1} << least_block_log2 == block_alignment);

struct contention_cell {
    strategy subject;
    std::size_t threads;
    unsigned iterations_log2;
    std::size_t multiplier;
    unsigned block_log2;
    std::string buffer;
    std::string freed_by;

    [[nodiscard]] std::size_t iterations() const noexcept { return std::size_t{1} << iterations_log2; }
    [[nodiscard]] std::size_t block_bytes() const noexcept { return std::size_t{1} << block_log2; }
    [[nodiscard]] block_shape shape() const noexcept { return {block_bytes(), block_alignment}; }
    /// The memory that a monotonic allocator allocates in its life.
    [[nodiscard]] std::size_t bytes_a_thread() const noexcept { return iterations() * block_bytes(); }
    [[nodiscard]] bool has_buffers() const noexcept { return subject.uses_buffer() && buffer == "static"; }
};

constexpr std::size_t first_pairs = 64; ///< the pairs of each thread before the clock starts

/// True for a shared allocator, and for one that each thread can own. A contender with one instance for the process
/// and no lock is neither.
bool has_contention(const strategy& s) noexcept {
    return s.is_shared() ||
           (s.frees_every_block() && (s.can(capability::all_threads) || s.can(capability::own)));
}

/// True if a thread may free the blocks of other threads.
bool serves_all_threads(const strategy& s) noexcept {
    return has_contention(s) && s.can(capability::all_threads);
}

/// Calls `use` with the source that all threads share.
template <class Use>
void with_one_for_all(const contention_cell& cell, Use&& use) {
    switch (cell.subject.mechanism) {
    case mechanism_kind::shared_synchronized:
        if constexpr (!survey_only) {
            mallard::synchronized<multipool> allocator;
            use(allocator);
        }
        return;
    case mechanism_kind::shared_concurrent: {
        mallard::concurrent_multipool<> allocator;
        use(allocator);
        return;
    }
    default:
        static_cast<void>(with_source(cell.subject, {}, cell.shape(), use));
    }
}

/// Effects: each thread frees its own blocks, and constructs a new allocator for every `iterations` pairs.
team_result run_private(const contention_cell& cell) {
    const buffer_state state = cell.has_buffers() ? buffer_state::warm : buffer_state::none;
    std::vector<std::unique_ptr<static_buffer>> buffers;
    for (std::size_t i = 0; i != cell.threads; ++i) {
        buffers.push_back(
            std::make_unique<static_buffer>(state, cell.bytes_a_thread(), cell.bytes_a_thread()));
    }
    const auto pairs = [&cell, &buffers](std::size_t thread, std::size_t count) {
        static_cast<void>(with_source(cell.subject, buffers[thread]->span(), cell.shape(), [&](auto& source) {
            allocate_and_deallocate(source, cell.block_bytes(), count);
        }));
    };
    return run_team(
        cell.threads, [&](std::size_t thread) { pairs(thread, std::min(first_pairs, cell.iterations())); },
        [&](std::size_t thread) {
            for (std::size_t repetition = 0; repetition != cell.multiplier; ++repetition) {
                pairs(thread, cell.iterations());
            }
        });
}

/// Effects: each thread frees its own blocks, which come from one shared allocator.
template <class Source>
team_result run_shared(const contention_cell& cell, Source& source) {
    return run_team(
        cell.threads, [&](std::size_t) { allocate_and_deallocate(source, cell.block_bytes(), first_pairs); },
        [&](std::size_t) {
            allocate_and_deallocate(source, cell.block_bytes(), cell.iterations() * cell.multiplier);
        });
}

/// Effects: each thread frees the blocks of its neighbour.
template <class Source>
team_result run_ring(const contention_cell& cell, Source& source) {
    const auto queues = std::make_unique<batch_queue[]>(cell.threads);
    std::atomic<bool> failed = false;
    return run_team(
        cell.threads, [&](std::size_t) { allocate_and_deallocate(source, cell.block_bytes(), first_pairs); },
        [&](std::size_t thread) {
            const std::size_t previous = (thread + cell.threads - 1) % cell.threads;
            hand_over(source, cell.block_bytes(), cell.iterations() * cell.multiplier, queues[thread],
                      queues[previous], failed);
        });
}

team_result measure(const contention_cell& cell) {
    if (!serves_all_threads(cell.subject)) {
        return run_private(cell);
    }
    team_result result;
    with_one_for_all(cell, [&](auto& source) {
        result = cell.freed_by == "other" ? run_ring(cell, source) : run_shared(cell, source);
    });
    return result;
}

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text.append(text.empty() ? "" : ", ").append(name);
    }
    return text;
}

contention_cell parse(arguments& args, run_options& options) {
    contention_cell cell{};
    cell.subject = choose_strategy(args, options, has_contention);
    cell.threads = static_cast<std::size_t>(args.number("threads", -1, 1, most_threads));
    cell.iterations_log2 = static_cast<unsigned>(args.number("iterations-log2", 15, 0, most_iterations_log2));
    cell.multiplier = static_cast<std::size_t>(args.number("multiplier", 100, 1, most_multiplier));
    cell.block_log2 = static_cast<unsigned>(args.number("block-log2", 6, least_block_log2, most_block_log2));
    cell.buffer = args.choice("buffer", {"static", "none"}, "static");
    cell.freed_by = args.choice("freed-by", {"self", "other"}, "self");
    refuse_unserved(cell.subject, cell.shape().stride());
    if (cell.freed_by == "other" && cell.threads < 2) {
        throw usage_error("--freed-by other with --threads 1: there is no other thread; give 2 or more");
    }
    if (cell.freed_by == "other" && !serves_all_threads(cell.subject)) {
        throw usage_error("--freed-by other with --strategy " + options.strategy +
                          ": another thread may not use a private allocator; allowed are " +
                          join(strategy_names(serves_all_threads)));
    }
    if (options.pinned_cpu && cell.threads > 1) {
        throw usage_error("--cpu with --threads " + std::to_string(cell.threads) +
                          ": on one processor threads take turns, so nothing contends; leave out --cpu");
    }
    if (const unsigned processors = std::thread::hardware_concurrency(); cell.threads > processors) {
        options.notes.push_back(std::to_string(cell.threads) + " threads on " + std::to_string(processors) +
                                " processors: they take turns");
    }
    return cell;
}

void write_parameters(const contention_cell& cell, json_writer& json) {
    json.member("threads", cell.threads)
        .member("iterations_log2", cell.iterations_log2)
        .member("multiplier", cell.multiplier)
        .member("block_log2", cell.block_log2)
        .member("buffer", cell.buffer)
        .member("freed_by", cell.freed_by);
}

/// Throws: std::bad_alloc if the monotonic allocators need more memory than the machine has.
void prepare_memory(const contention_cell& cell, run_options& options) {
    if (!cell.subject.can(capability::reuses) || cell.has_buffers()) {
        const std::size_t bytes = cell.threads * cell.bytes_a_thread();
        expect_room(bytes, options.notes);
        if (!cell.has_buffers()) {
            bring_in(std::min(bytes, most_to_bring_in()));
        }
    }
}

void write(const contention_cell& cell, const team_result& team, row& result) {
    result.timed = team.timed;
    result.operations = static_cast<std::int64_t>(cell.iterations() * cell.multiplier);
    result.iterations = static_cast<std::int64_t>(cell.multiplier);
    const auto pairs = static_cast<double>(result.operations);
    result.add_figure("slowest_ns", static_cast<double>(team.slowest_ns) / pairs);
    result.add_figure("fastest_ns", static_cast<double>(team.fastest_ns) / pairs);
    result.add_figure("cpu_ns_per_pair",
                      static_cast<double>(team.timed.cpu_ns) / (pairs * static_cast<double>(cell.threads)));
}

} // namespace

row run_contention(arguments& args, run_options& options) {
    const contention_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "contention";
    result.write_parameters = [cell](json_writer& json) { write_parameters(cell, json); };
    try {
        prepare_memory(cell, options);
        write(cell, measure(cell), result);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
    }
    return result;
}

void describe_contention(json_writer& json) {
    describe_strategies(json, has_contention);
    json.key("threads").open('[').value(1).value(most_threads).close(']');
    json.key("iterations_log2").open('[').value(0).value(most_iterations_log2).close(']');
    json.key("multiplier").open('[').value(1).value(most_multiplier).close(']');
    json.key("block_log2").open('[').value(least_block_log2).value(most_block_log2).close(']');
    json.key("freed_by_other").open('[');
    for (const std::string& name : strategy_names(serves_all_threads)) {
        json.value(name);
    }
    json.close(']');
}

} // namespace bench

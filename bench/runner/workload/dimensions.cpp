/// One structure whose parameters are the five dimensions of memory allocation, for a benchmark that varies each of
/// them around a centre.
///
///     thread -> [ subsystem | subsystem | ... ]
///                    |
///     subsystem:  [ its allocator | oldest | end ]        oldest -> block -> block -> ... -> newest
///
/// In turn the subsystems of a thread allocate one block each, until each has `blocks_a_subsystem`: in a heap that they
/// share, the blocks of one lie between those of the others. This is the first generation. A further generation
/// replaces all blocks in the same turns, the oldest one of a subsystem first. After each generation all blocks are
/// accessed. At the end the subsystems are destroyed, and with them their allocators.
///
///     density D       1 / (1 + accesses): allocations among allocations and accesses
///     variation V     1 - 1 / sizes: so many sizes of blocks, equally frequent, around 128 bytes
///     locality L      traversals of a subsystem, one after the other, before the next subsystem
///     utilization U   1 / generations: the most bytes in use, of all allocated bytes
///     contention C    threads, each with subsystems of its own
///
/// Source: P0089R1, section 6, which wishes for this benchmark; section 5 defines the dimensions.

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/harness/thread_team.hpp"
#include "runner/strategy/global_source.hpp"
#include "runner/strategy/mechanisms.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>

namespace bench {

namespace {

constexpr std::size_t subsystems_a_thread = 256;
constexpr std::size_t blocks_a_subsystem = 128;
constexpr std::size_t blocks_a_thread = subsystems_a_thread * blocks_a_subsystem;
constexpr std::size_t middle_bytes = 128;
constexpr std::size_t step_bytes = 8;
constexpr std::int64_t most_sizes = 16;
constexpr std::int64_t most_accesses = 4096;
constexpr std::int64_t most_generations = 4096;
constexpr std::int64_t most_threads = 256;
constexpr std::int64_t most_operations = std::int64_t{1} << 40;

struct dimensions_cell {
    strategy subject;
    std::size_t accesses;
    std::size_t sizes;
    std::size_t traversals;
    std::size_t generations;
    std::size_t threads;
    std::size_t operations;
    std::uint64_t seed;

    /// The blocks that a thread allocates between the construction of its subsystems and their end.
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_a_thread * generations; }
    [[nodiscard]] std::size_t lives() const noexcept {
        return std::max<std::size_t>(1, operations / blocks());
    }
    [[nodiscard]] std::size_t bytes_expected() const noexcept {
        const std::size_t held = subject.can(capability::reuses) ? 2 * blocks_a_thread : blocks();
        return threads * held * (middle_bytes + 32);
    }
};

/// The four mechanisms of the papers, each for a subsystem, and the global allocator.
bool has_dimensions(const strategy& s) noexcept {
    using enum mechanism_kind;
    return s.frees_every_block() && s.binding == binding_kind::type_parameter &&
           (s.mechanism == global || s.mechanism == monotonic || s.mechanism == multipool ||
            s.mechanism == multipool_over_monotonic);
}

/// A multipool with the monotonic allocator under it.
class pool_with_arena {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        pool_.deallocate(p, bytes, alignment);
    }

private:
    monotonic arena_;
    multipool_over_monotonic pool_{arena_};
};

/// Sizes of blocks, drawn before the clock starts, in a ring.
class block_sizes {
public:
    block_sizes(std::size_t sizes, std::uint64_t seed) {
        quick_random random(seed);
        for (std::uint32_t& bytes : bytes_) {
            bytes = static_cast<std::uint32_t>(middle_bytes + step_bytes * random.below(sizes) -
                                               step_bytes * (sizes / 2));
        }
    }

    [[nodiscard]] std::uint32_t next() noexcept { return bytes_[next_++ % bytes_.size()]; }

private:
    std::array<std::uint32_t, 4096> bytes_{};
    std::size_t next_ = 0;
};

template <class Source>
class subsystem {
public:
    subsystem() = default;
    subsystem(const subsystem&) = delete;
    subsystem& operator=(const subsystem&) = delete;

    ~subsystem() {
        while (oldest_ != nullptr) {
            deallocate_oldest();
        }
    }

    void allocate(std::uint32_t bytes) {
        auto* const added = ::new (source_.allocate(bytes, alignof(block))) block{nullptr, 0, bytes};
        *end_ = added;
        end_ = &added->next;
    }

    void replace_oldest(std::uint32_t bytes) {
        deallocate_oldest();
        if (oldest_ == nullptr) {
            end_ = &oldest_;
        }
        allocate(bytes);
    }

    /// Effects: accesses all blocks `traversals` times.
    void visit(std::size_t traversals) noexcept {
        for (std::size_t i = 0; i != traversals; ++i) {
            for (block* b = oldest_; b != nullptr; b = b->next) {
                ++b->accesses;
            }
            escape(this);
        }
    }

    void add_to(checksum& sum) const noexcept {
        for (const block* b = oldest_; b != nullptr; b = b->next) {
            sum.add(b->accesses);
            sum.add(b->bytes);
        }
    }

    [[nodiscard]] const Source& source() const noexcept { return source_; }

private:
    struct block {
        block* next;
        std::uint32_t accesses;
        std::uint32_t bytes;
    };

    void deallocate_oldest() noexcept {
        block* const b = oldest_;
        oldest_ = b->next;
        source_.deallocate(b, b->bytes, alignof(block));
    }

    Source source_;
    block* oldest_ = nullptr;
    block** end_ = &oldest_;
};

template <class Source>
using subsystem_array = std::unique_ptr<subsystem<Source>[]>;

/// Effects: constructs the subsystems of a thread, and takes them through their generations.
/// Returns: the subsystems, whose end is the caller's.
template <class Source>
[[gnu::noinline]] subsystem_array<Source> live(const dimensions_cell& cell, block_sizes& sizes) {
    auto all = std::make_unique<subsystem<Source>[]>(subsystems_a_thread);
    const auto in_turn = [&all](auto call) {
        for (std::size_t i = 0; i != subsystems_a_thread; ++i) {
            call(all[i]);
        }
    };
    for (std::size_t generation = 0; generation != cell.generations; ++generation) {
        for (std::size_t n = 0; n != blocks_a_subsystem; ++n) {
            if (generation == 0) {
                in_turn([&](auto& s) { s.allocate(sizes.next()); });
            } else {
                in_turn([&](auto& s) { s.replace_oldest(sizes.next()); });
            }
        }
        for (std::size_t done = 0; done != cell.accesses; done += cell.traversals) {
            in_turn([&](auto& s) { s.visit(cell.traversals); });
        }
    }
    return all;
}

/// Effects: runs the threads of the cell.
template <class Source>
team_result measure(const dimensions_cell& cell) {
    dimensions_cell first = cell; // the warm-up of a thread
    first.generations = 1;
    first.accesses = 0;
    const auto run_lives = [&cell](const dimensions_cell& lived, std::size_t thread, std::size_t count) {
        block_sizes sizes(cell.sizes, cell.seed + thread);
        for (std::size_t i = 0; i != count; ++i) {
            static_cast<void>(live<Source>(lived, sizes));
        }
    };
    return run_team(
        cell.threads, [&](std::size_t thread) { run_lives(first, thread, 1); },
        [&](std::size_t thread) { run_lives(cell, thread, cell.lives()); });
}

template <class Source>
void run_cell(const dimensions_cell& cell, const run_options& options, row& result) {
    result.timed = measure<Source>(cell).timed;
    result.operations = static_cast<std::int64_t>(cell.lives() * cell.blocks());
    result.iterations = static_cast<std::int64_t>(cell.lives());
    if (options.repetition == 0) {
        block_sizes sizes(cell.sizes, cell.seed);
        checksum sum;
        const auto all = live<Source>(cell, sizes);
        for (std::size_t i = 0; i != subsystems_a_thread; ++i) {
            all[i].add_to(sum);
        }
        result.checksum = to_hexadecimal(sum.value());
    }
}

void run_cell(const dimensions_cell& cell, const run_options& options, row& result) {
    switch (cell.subject.mechanism) {
    case mechanism_kind::global:
        return run_cell<global_source>(cell, options, result);
    case mechanism_kind::monotonic:
        return run_cell<monotonic>(cell, options, result);
    case mechanism_kind::multipool:
        return run_cell<multipool>(cell, options, result);
    case mechanism_kind::multipool_over_monotonic:
        return run_cell<pool_with_arena>(cell, options, result);
    default:
        std::abort(); // has_dimensions() refuses the others
    }
}

/// Effects: counts the requests of one life.
void count_requests(const dimensions_cell& cell, row& result) {
    block_sizes sizes(cell.sizes, cell.seed);
    dimensions_cell unvisited = cell;
    unvisited.accesses = 0;
    const auto all = live<recording_source>(unvisited, sizes);
    result.allocations = result.deallocations = 0;
    for (std::size_t i = 0; i != subsystems_a_thread; ++i) {
        *result.allocations += all[i].source().allocations;
        *result.deallocations +=
            all[i].source().deallocations + static_cast<std::int64_t>(blocks_a_subsystem);
    }
}

dimensions_cell parse(arguments& args, run_options& options) {
    dimensions_cell cell{};
    cell.subject = choose_strategy(args, options, has_dimensions);
    const auto number = [&args](const char* name, std::int64_t default_value, std::int64_t least,
                                std::int64_t most) {
        return static_cast<std::size_t>(args.number(name, default_value, least, most));
    };
    cell.accesses = number("accesses", 16, 0, most_accesses);
    cell.sizes = number("sizes", 4, 1, most_sizes);
    cell.traversals = number("traversals", 4, 1, most_accesses);
    cell.generations = number("generations", 4, 1, most_generations);
    cell.threads = number("threads", 1, 1, most_threads);
    cell.operations = number("operations", 1'000'000, 1, most_operations);
    cell.seed = static_cast<std::uint64_t>(options.seed);
    if (cell.accesses % cell.traversals != 0) {
        throw usage_error("--traversals " + std::to_string(cell.traversals) +
                          ": allowed are divisors of --accesses " + std::to_string(cell.accesses) +
                          ", because a visit makes that many of them");
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

} // namespace

row run_dimensions(arguments& args, run_options& options) {
    const dimensions_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "dimensions";
    result.write_parameters = [cell](json_writer& json) {
        json.member("accesses", cell.accesses)
            .member("sizes", cell.sizes)
            .member("traversals", cell.traversals)
            .member("generations", cell.generations)
            .member("threads", cell.threads)
            .member("operations", cell.operations);
    };
    try {
        expect_room(cell.bytes_expected(), options.notes);
        bring_in(std::min(cell.bytes_expected(), most_to_bring_in()));
        run_cell(cell, options, result);
        if (options.repetition == 0) {
            count_requests(cell, result);
        }
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
    }
    return result;
}

void describe_dimensions(json_writer& json) {
    describe_strategies(json, has_dimensions);
    const auto limits = [&json](const char* name, std::int64_t least, std::int64_t most) {
        json.key(name).open('[').value(least).value(most).close(']');
    };
    limits("accesses", 0, most_accesses);
    limits("sizes", 1, most_sizes);
    limits("traversals", 1, most_accesses);
    limits("generations", 1, most_generations);
    limits("threads", 1, most_threads);
    limits("operations", 1, most_operations);
}

} // namespace bench

/// Programs that people write, at two sizes: they parse, intern, index, search, trade and simulate; four live long, and replace
/// what they hold part by part.
///
/// A scope constructs the strategy's allocator and a program with its containers, lets it work, and destroys both. All of it is
/// timed, after scopes that are not. What a program keeps is about the size of a second-level cache, or ten times and more. A
/// program that frees much while it works is not for an allocator that reuses nothing.
///
/// Before that, the process's malloc is given a history (history/history.hpp): blocks of others that come, go and stay. Or a pool
/// is given it, which lives as long as the process, and which all scopes share; it may be tidied just before the clock starts.
///
/// The programs use the containers of the standard library, and no other library. Inputs are drawn before the clock starts.

#include "runner/workload/programs/programs.hpp"

#include "history/history.hpp"
#include "runner/harness/memory.hpp"
#include "runner/harness/stopwatch.hpp"
#include "runner/strategy/handle.hpp"
#include "runner/workload/experiments.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bench {

namespace {

constexpr std::int64_t most_operations = 1'000'000'000;
const std::vector<std::string> size_names{"small", "large"};

/// A program, without its allocator.
struct program_row {
    std::string_view name;
    bool reuses;
    bool in_parts;
    std::shared_ptr<program_input> (*draw)(program_size, std::uint64_t seed);
};

template <class Program>
constexpr program_row row_of() {
    return {Program::name, Program::reuses, is_in_parts<Program>, [](program_size size, std::uint64_t seed) {
                return std::shared_ptr<program_input>(std::make_shared<typename Program::input>(size, seed));
            }};
}

constexpr auto program_rows = []<class... Program>(std::type_identity<std::tuple<Program...>>) {
    return std::array{row_of<Program>()...};
}(std::type_identity<programs<standard_allocator>>());

std::vector<std::string> program_names() {
    std::vector<std::string> names;
    for (const program_row& program : program_rows) {
        names.emplace_back(program.name);
    }
    return names;
}

struct programs_cell {
    std::size_t program; ///< index into program_rows and the tables
    program_size size;
    strategy subject;
    std::size_t operations;
    std::string age;
    mallard::history::model past; ///< of the heap, by `age`
};

/// True if this runner has a table for the handle. Tables take long to compile, and the survey needs three.
template <class Handle>
constexpr bool has_table =
    survey_only ? std::is_same_v<Handle, global_handle> || std::is_same_v<Handle, multipool> ||
                      std::is_same_v<Handle, std::pmr::memory_resource>
                : !std::is_same_v<Handle, walked_monotonic>;

bool is_in_survey(const strategy& s) noexcept {
    const bool by_type = s.binding == binding_kind::type_parameter;
    return s.is_contender() ||
           (by_type && s.past == pool_past::none &&
            (s.mechanism == mechanism_kind::global || s.mechanism == mechanism_kind::multipool));
}

bool has_programs(const strategy& s) noexcept {
    return s.mechanism != mechanism_kind::null && s.mechanism != mechanism_kind::global_kept &&
           s.mechanism != mechanism_kind::monotonic_walked && !s.is_shared() && !s.bursts && !s.locked &&
           !is_library_pool(s.mechanism) && s.is_for_everything() &&
           (s.can(capability::containers) || s.mechanism == mechanism_kind::static_multipool) &&
           (!survey_only || is_in_survey(s));
}

/// True if the strategy reuses what the program frees, or has an allocator for each part that goes. A pool with a past is one for
/// all parts.
bool fits(const strategy& s, const program_row& program) noexcept {
    if (s.past != pool_past::none && program.in_parts) {
        return false;
    }
    return s.can(capability::reuses) || !program.reuses ||
           (program.in_parts && s.binding == binding_kind::type_parameter && !s.is_contender());
}

programs_cell parse(arguments& args, run_options& options) {
    programs_cell cell{};
    const std::vector<std::string> names = program_names();
    const std::string name = args.choice("program", names);
    cell.program = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    cell.size = args.choice("size", size_names) == "small" ? program_size::small : program_size::large;
    cell.subject = choose_strategy(args, options, has_programs);
    cell.operations = static_cast<std::size_t>(args.number("operations", 300'000, 1, most_operations));
    cell.age = args.text("age", mallard::history::levels.front().name);
    if (const std::string_view wrong = mallard::history::read_model(cell.age, cell.past); !wrong.empty()) {
        throw usage_error("--age " + cell.age + ": '" + std::string(wrong) + "' is wrong; allowed are " +
                          std::string(mallard::history::allowed_ages));
    }
    if (!fits(cell.subject, program_rows[cell.program])) {
        const std::string strategy = " and --strategy " + options.strategy;
        throw usage_error("--program " + name +
                          (cell.subject.past != pool_past::none
                               ? " has an allocator for each of its parts," + strategy +
                                     " is one pool for all: give multipool"
                               : " frees much while it works," + strategy +
                                     " reuses nothing: give a strategy that does, such as multipool"));
    }
    return cell;
}

/// The pool of a strategy with a past. It is never destroyed: the blocks of the history stay.
multipool& pool_of_process() {
    static multipool& pool = *new multipool;
    return pool;
}

/// Returns: the checksum of a scope under the strategy.
std::uint64_t run_scope(const programs_cell& cell, const program_input& input, std::size_t& spills) {
    if (cell.subject.past != pool_past::none) {
        return program_table_for<multipool>()[cell.program].normal(pool_of_process(), input);
    }
    if constexpr (!survey_only) {
        if (cell.subject.mechanism == mechanism_kind::static_multipool) {
            static_multipool named;
            return program_table_for<static_multipool>()[cell.program].normal(named, input);
        }
    }
    std::uint64_t sum = 0;
    spills += with_handle(cell.subject, {}, [&]<class Handle>(Handle& handle) {
        if constexpr (has_table<Handle>) {
            const program_operations<Handle>& operations = program_table_for<Handle>()[cell.program];
            const bool normal = cell.subject.destruction == destruction_kind::normal;
            sum = (normal ? operations.normal : operations.winked_out)(handle, input);
        } else {
            std::abort(); // has_programs() refuses it
        }
    });
    return sum;
}

[[maybe_unused]] void count_requests(const programs_cell& cell, const program_input& input, row& result) {
    counting_source source;
    static_cast<void>(program_table_for<counting_source>()[cell.program].normal(source, input));
    const mallard::allocation_counts counts = source.counts();
    result.allocations = static_cast<std::int64_t>(counts.allocations);
    result.deallocations = static_cast<std::int64_t>(counts.deallocations);
    result.add_figure("peak_live_bytes", static_cast<double>(counts.peak_bytes));
}

constexpr mallard::history::allocator malloc_of_process{
    .allocate = [](std::size_t bytes) { return std::malloc(bytes); },
    .free = [](void* block) { std::free(block); },
};

constexpr mallard::history::allocator blocks_of_pool{
    .allocate = [](std::size_t bytes) -> void* {
        try {
            return pool_of_process().allocate(bytes, alignof(std::max_align_t));
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    },
    .free = nullptr,
    .free_sized =
        [](void* block, std::size_t bytes) {
            pool_of_process().deallocate(block, bytes, alignof(std::max_align_t));
        },
};

/// Effects: gives the process's malloc, or its pool, the history of the cell, and writes down what it left.
/// Throws: std::bad_alloc.
void age_heap(const programs_cell& cell, row& result) {
    if (cell.past.peak_bytes == 0) {
        return;
    }
    const bool of_malloc = cell.subject.past == pool_past::none;
    const mallard::history::remains left =
        mallard::history::age(of_malloc ? malloc_of_process : blocks_of_pool, cell.past);
    if (left.failed != mallard::history::failure::none) {
        throw std::bad_alloc();
    }
    result.add_figure("history_live_bytes", static_cast<double>(left.live_bytes));
    result.add_figure("history_held_bytes", static_cast<double>(left.resident_after - left.resident_before));
    result.add_figure("history_pages_ratio",
                      static_cast<double>(left.live_pages) / static_cast<double>(left.needed_pages));
}

/// Effects: runs scopes, at least one, so that the code, the libraries and the processor are warm, and each allocator has the
/// memory that it keeps. A malloc would otherwise reuse the pages of the drawn input, and a local allocator have only new ones.
void warm_up(const programs_cell& cell, const program_input& input) {
    std::size_t ignored_spills = 0;
    constexpr std::int64_t warm_up_ns = 20'000'000;
    const stopwatch watch;
    do {
        static_cast<void>(run_scope(cell, input, ignored_spills));
    } while (watch.elapsed().wall_ns < warm_up_ns);
}

/// Effects: tidies the pool of a strategy that does, and writes down how long it takes.
void tidy_pool(const programs_cell& cell, row& result) {
    if (cell.subject.past == pool_past::tidied) {
        const stopwatch watch;
        pool_of_process().tidy();
        result.add_figure("tidy_ns", static_cast<double>(watch.elapsed().cpu_ns));
    }
}

void measure(const programs_cell& cell, const run_options& options, row& result) {
    const auto input = program_rows[cell.program].draw(cell.size, static_cast<std::uint64_t>(options.seed));
    const std::size_t scopes = std::max<std::size_t>(1, cell.operations / input->operations);
    result.iterations = static_cast<std::int64_t>(scopes);
    result.operations = static_cast<std::int64_t>(scopes * input->operations);
    age_heap(cell, result);
    const bool resets = forget_peak();
    const std::int64_t baseline = peak_resident_bytes();
    warm_up(cell, *input);
    tidy_pool(cell, result);

    std::size_t spills = 0;
    checksum sum;
    const stopwatch watch;
    for (std::size_t scope = 0; scope != scopes; ++scope) {
        input->scope = scope;
        sum.add(run_scope(cell, *input, spills));
    }
    result.timed = watch.elapsed();
    result.spills = static_cast<std::int64_t>(spills);
    result.checksum = to_hexadecimal(sum.value());
    if (resets) {
        result.add_figure("peak_held_bytes", static_cast<double>(peak_resident_bytes() - baseline));
    }
    if constexpr (!survey_only) {
        if (options.repetition == 0) {
            input->scope = 0;
            count_requests(cell, *input, result);
        }
    }
}

} // namespace

row run_programs(arguments& args, run_options& options) {
    const programs_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "programs";
    result.write_parameters = [cell](json_writer& json) {
        json.member("program", program_rows[cell.program].name)
            .member("size", size_names[static_cast<std::size_t>(cell.size)])
            .member("operations", cell.operations)
            .member("age", cell.age);
    };
    try {
        measure(cell, options, result);
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
    }
    return result;
}

void describe_programs(json_writer& json) {
    describe_strategies(json, has_programs);
    json.key("works").open('[');
    for (const program_row& program : program_rows) {
        json.open('{').member("name", program.name);
        json.key("strategies").open('[');
        for (const strategy& s : strategies()) {
            if (has_programs(s) && fits(s, program)) {
                json.value(s.name);
            }
        }
        json.close(']').close('}');
    }
    json.close(']');
    json.key("sizes").open('[');
    for (const std::string& name : size_names) {
        json.value(name);
    }
    json.close(']');
    json.key("operations").open('[').value(1).value(most_operations).close(']');
}

} // namespace bench

/// The Loki test: a million small objects are allocated, shuffled, and freed from the back. Further phases, which the
/// original lacks, are a second allocation, a traversal, and the return of memory to the system.
///
/// Phases: allocate all; shuffle the pointers (--order shuffled); free all from the back; allocate all again;
/// increment the first byte of each, in the order of the pointers; free all; return free memory; destroy the
/// allocator. The pointers lie in memory that is already touched.
///
/// Source: "small object allocation" (2012), a test of Loki's allocator.

#include "runner/harness/page_size.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/small_objects_measure.hpp"

#include <mallard/upstream/pages.hpp>

#include <algorithm>
#include <new>

namespace bench {

namespace {

constexpr std::int64_t most_object_bytes = 1024;
constexpr std::int64_t most_objects = 100'000'000;

struct small_objects_cell {
    strategy subject;
    std::size_t object_bytes;
    std::size_t objects;
    std::string order;
    std::uint64_t seed;

    /// With the largest alignment that an object of this size can need.
    [[nodiscard]] block_shape shape() const noexcept {
        return {object_bytes,
                std::min<std::size_t>(object_bytes & -object_bytes, mallard::fundamental_alignment)};
    }
};

bool has_small_objects(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null || (s.is_plain() && s.destruction == destruction_kind::normal);
}

small_objects_cell parse(arguments& args, run_options& options) {
    small_objects_cell cell{};
    cell.subject = choose_strategy(args, options, has_small_objects);
    cell.object_bytes = static_cast<std::size_t>(args.number("object-bytes", 16, 1, most_object_bytes));
    cell.objects = static_cast<std::size_t>(args.number("objects", 1'000'000, 1, most_objects));
    cell.order = args.choice("order", {"shuffled", "in-order"}, "shuffled");
    cell.seed = static_cast<std::uint64_t>(options.seed);
    refuse_unserved(cell.subject, cell.shape().stride());
    return cell;
}

void write_parameters(const small_objects_cell& cell, json_writer& json) {
    json.member("object_bytes", cell.object_bytes)
        .member("objects", cell.objects)
        .member("order", cell.order);
}

/// Returns: an estimate of the memory of the objects, with headers of 16 bytes; twice that without reuse.
std::size_t bytes_expected(const small_objects_cell& cell) noexcept {
    const std::size_t once = cell.objects * (cell.object_bytes + 16);
    return cell.subject.can(capability::reuses) ? once : 2 * once;
}

void measure(const small_objects_cell& cell, std::span<object_pointer> objects, held_memory baseline,
             row& result, run_options& options) {
    small_objects_run run(cell.shape(), objects, baseline, cell.seed, cell.order == "shuffled", options);
    if (cell.subject.mechanism == mechanism_kind::null) {
        const std::size_t bytes = objects.size() * cell.shape().stride();
        const static_buffer fresh(buffer_state::cold, bytes, 0);
        null_source null(fresh.span());
        run(null);
    } else {
        result.spills = static_cast<std::int64_t>(with_source(cell.subject, {}, cell.shape(), run));
    }
    run.write(result);
}

/// Effects: warms the code and the libraries, as in a running program.
void warm_up(const small_objects_cell& cell, std::span<object_pointer> objects) {
    row ignored_row;
    run_options ignored_options;
    measure(cell, objects.first(std::min<std::size_t>(objects.size(), 64)), {}, ignored_row, ignored_options);
}

/// Effects: warms up and measures the cell. The baseline of memory is taken after the runner's warm-up and before the
/// strategy's, because a strategy's first chunks are part of its memory.
void measure_warm(const small_objects_cell& cell, row& result, run_options& options) {
    const std::size_t bytes = cell.objects * sizeof(object_pointer);
    const static_buffer pointers(buffer_state::warm, bytes, bytes);
    const std::span objects(reinterpret_cast<object_pointer*>(pointers.span().data()), cell.objects);
    small_objects_cell null = cell;
    null.subject = strategies().front();
    warm_up(null, objects);
    trim_process();
    const held_memory baseline = inspect_memory();
    warm_up(cell, objects);
    measure(cell, objects, baseline, result, options);
}

/// True if less than half of the objects lie in huge pages. Totals below two huge pages do not count.
bool lacks_huge_pages(const small_objects_cell& cell, const row& result) {
    const auto huge = std::ranges::find(result.figures, "huge_bytes", &std::pair<std::string, double>::first);
    const std::size_t bytes = cell.objects * cell.object_bytes;
    return bytes >= 2 * mallard::pages::huge_page_bytes() && huge != result.figures.end() &&
           huge->second < static_cast<double>(bytes) / 2;
}

} // namespace

row run_small_objects(arguments& args, run_options& options) {
    const small_objects_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "small-objects";
    result.write_parameters = [cell](json_writer& json) { write_parameters(cell, json); };
    try {
        const std::size_t expected = bytes_expected(cell) + cell.objects * sizeof(object_pointer);
        expect_room(expected, options.notes);
        bring_in(std::min(expected, most_to_bring_in()));
        measure_warm(cell, result, options);
        if (pages_in_use() == page_size::huge && lacks_huge_pages(cell, result)) {
            options.notes.emplace_back("less than half of the objects lie in huge pages");
        }
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_small_objects(json_writer& json) {
    describe_strategies(json, has_small_objects, pool_listing::strategies);
    json.key("object_bytes").open('[').value(1).value(most_object_bytes).close(']');
    json.key("objects").open('[').value(1).value(most_objects).close(']');
}

} // namespace bench

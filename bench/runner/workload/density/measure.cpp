#include "runner/workload/density/measure.hpp"

#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/handle.hpp"
#include "runner/workload/density/binding.hpp"

#include <algorithm>
#include <new>

namespace bench {

namespace {

template <class Handle>
void run_one(const density_cell& cell, Handle& source, const density_task& task) {
    const density_operations<Handle>& operations = density_table_for<Handle>()[cell.structure];
    (cell.subject.destruction == destruction_kind::normal ? operations.normal : operations.winked_out)(source,
                                                                                                       task);
}

/// Runs iterations of one cell, and owns the objects that outlive them.
class density_runner {
public:
    density_runner(const density_cell& cell, const density_input& input)
        : cell_(cell), buffer_(parse_buffer_state(cell.subject.uses_buffer() ? cell.buffer : "none"),
                               cell.buffer_bytes, input.bytes_bound()),
          null_memory_(cell.subject.mechanism == mechanism_kind::null ? buffer_state::warm
                                                                      : buffer_state::none,
                       input.bytes_bound(), input.bytes_bound()),
          null_(null_memory_.span()) {}

    /// Returns: the spills of this iteration.
    std::size_t iterate(const density_task& task) {
        if (cell_.subject.mechanism == mechanism_kind::null) {
            if constexpr (!survey_only) {
                run_one(cell_, null_, task);
                null_.release();
            }
            return 0;
        }
        const auto run = [&](auto& handle) { run_one(cell_, handle, task); };
        if constexpr (!survey_only) {
            if (cell_.subject.locked) {
                return with_locked_mechanism(cell_.subject, buffer_.span(), run);
            }
            if (cell_.upstream == chunk_source::heap) {
                return with_handle<mallard::new_delete>(cell_.subject, buffer_.span(), run);
            }
        }
        return with_handle(cell_.subject, buffer_.span(), run);
    }

    [[nodiscard]] bool lacks_huge_pages() const { return buffer_.lacks_huge_pages(); }

private:
    const density_cell& cell_;
    static_buffer buffer_;
    static_buffer null_memory_;
    null_source null_;
};

/// Effects: counts the requests of one structure under the binding of the strategy.
void count_requests(const density_cell& cell, const density_input& input, row& result) {
    counting_source source;
    const density_task task{input};
    if (cell.subject.binding == binding_kind::type_parameter) {
        run_one(cell, source, task);
    } else {
        mallard::resource<counting_source&> base(source);
        run_one(cell, abstract(base), task);
    }
    const mallard::allocation_counts counts = source.counts();
    result.allocations = static_cast<std::int64_t>(counts.allocations);
    result.deallocations = static_cast<std::int64_t>(counts.deallocations);
}

/// Effects: builds structures of two elements for some milliseconds. This warms the code, the libraries and the
/// processor, as in a running program.
void warm_up(density_runner& runner, const density_input& tiny) {
    constexpr std::int64_t warm_up_ns = 5'000'000;
    const stopwatch watch;
    while (watch.elapsed().wall_ns < warm_up_ns) {
        static_cast<void>(runner.iterate({tiny}));
    }
}

std::vector<std::string> structure_names() {
    std::vector<std::string> names;
    for (const data_structure& ds : data_structures()) {
        names.push_back(ds.name);
    }
    return names;
}

/// Effects: limits the buffer to half of the free memory, and adds a note.
void fit_buffer(density_cell& cell, run_options& options) {
    if (cell.buffer == "none" || !cell.subject.uses_buffer()) {
        return;
    }
    const std::size_t room = available_memory_bytes() / 2;
    if (cell.buffer_bytes > room) {
        cell.buffer_bytes = room / 4096 * 4096;
        options.notes.push_back("memory is short: the static buffer has " +
                                std::to_string(cell.buffer_bytes) + " bytes");
    }
}

} // namespace

density_cell parse_density(arguments& args, run_options& options, strategy_filter offered,
                           const std::string& default_buffer) {
    density_cell cell{};
    const std::vector<std::string> structures = structure_names();
    cell.structure = static_cast<std::size_t>(std::ranges::find(structures, args.choice("ds", structures)) -
                                              structures.begin());
    cell.subject = choose_strategy(args, options, offered);
    cell.size_log2 = static_cast<unsigned>(args.number("size", -1, least_size_log2, largest_size_log2));
    cell.product_log2 = static_cast<unsigned>(args.number("product", 20, 0, 40));
    const bool nested = data_structures()[cell.structure].inner != container::none;
    const auto inner_log2 = static_cast<unsigned>(args.number("inner", inner_leaves_log2, 0, 16));
    cell.inner_log2 = nested ? inner_log2 : 0;
    cell.buffer = args.choice("buffer", {"none", "cold", "warm"}, default_buffer);
    cell.hash = args.choice("hash", {"prefix", "full"}, "prefix");
    cell.buffer_bytes = static_cast<std::size_t>(
        args.number("buffer-bytes", std::int64_t{1} << 30, 4096, std::int64_t{1} << 40));
    if (cell.buffer == "none") {
        cell.buffer_bytes = 0;
    }
    fit_buffer(cell, options);
    return cell;
}

void write_density_parameters(const density_cell& cell, json_writer& json) {
    json.member("ds", data_structures()[cell.structure].name)
        .member("size_log2", cell.size_log2)
        .member("product_log2", cell.product_log2)
        .member("inner_log2", cell.inner_log2)
        .member("buffer", cell.buffer)
        .member("buffer_bytes", cell.buffer_bytes)
        .member("hash", cell.hash);
}

void measure_density(const density_cell& cell, run_options& options, row& result,
                     const std::function<void()>& prepare) {
    string_hash_in_use = cell.hash == "full" ? string_hash::full : string_hash::prefix;
    if (cell.subject.mechanism == mechanism_kind::global_kept && !keep_freed_pages()) {
        throw usage_error(
            "--strategy new-delete-keep: this C library cannot keep freed pages; give new-delete");
    }
    try {
        const data_structure& ds = data_structures()[cell.structure];
        const auto seed = static_cast<std::uint64_t>(options.seed);
        const density_input input(ds, cell.size_log2, cell.inner_log2, seed);
        const std::size_t product = std::size_t{1} << cell.product_log2;
        result.iterations = static_cast<std::int64_t>(std::max<std::size_t>(1, product / input.leaves()));
        result.operations = result.iterations * static_cast<std::int64_t>(input.leaves());

        prepare();
        density_runner runner(cell, input);
        if (cell.buffer != "warm" || !cell.subject.uses_buffer()) {
            bring_in(input.bytes_bound());
        }
        warm_up(runner, density_input(ds, 1, cell.inner_log2, seed));

        std::size_t spills = 0;
        const stopwatch watch;
        for (std::int64_t i = 0; i != result.iterations; ++i) {
            spills += runner.iterate({input});
        }
        result.timed = watch.elapsed();
        result.spills = static_cast<std::int64_t>(spills);

        // Figures that are equal in all repetitions are only taken in the first one.
        if (options.repetition == 0) {
            if (runner.lacks_huge_pages()) {
                options.notes.emplace_back("the system gave the buffer no huge pages");
            }
            std::uint64_t sum = 0;
            static_cast<void>(runner.iterate({input, &sum}));
            result.checksum = to_hexadecimal(sum);
            count_requests(cell, input, result);
        }
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
    }
}

} // namespace bench

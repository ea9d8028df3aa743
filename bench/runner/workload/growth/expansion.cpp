/// The article's tests of growth: vectors are repeatedly constructed, filled by push_back, and destroyed.
///
/// Forward: with every kind of growth that a strategy has. Backward: without growth forward, which is always tried
/// first and would hide it. Growth backward saves memory: the elements need no second block while they move.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1.

#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/growth/vector_cell.hpp"

#include <algorithm>
#include <new>

namespace bench {

namespace {

constexpr std::size_t default_pushes = 20'000'000;
constexpr std::size_t least_iterations = 3;

bool has_forward(const strategy& s) noexcept {
    return has_vectors(s);
}

/// realloc has no choice of direction.
bool has_backward(const strategy& s) noexcept {
    return has_vectors(s) && s.mechanism != mechanism_kind::c_realloc;
}

vector_cell parse(arguments& args, run_options& options, strategy_filter offered) {
    vector_cell cell{};
    cell.subject = choose_strategy(args, options, offered);
    cell.elements = static_cast<std::size_t>(args.number("elements", -1, 1, most_elements));
    const std::size_t default_count = std::max(least_iterations, default_pushes / cell.elements);
    cell.iterations = static_cast<std::size_t>(
        args.number("iterations", static_cast<std::int64_t>(default_count), 1, most_iterations));
    cell.type = parse_type(args, cell.subject);
    return cell;
}

/// Effects: pushes `elements` elements to the caller's vector. Not inlined, because the registers of the loop would
/// depend on the code around it.
template <class Vector>
[[gnu::noinline]] void push_elements(Vector& vector, std::size_t elements) {
    for (std::size_t i = 0; i != elements; ++i) {
        vector.push_back(static_cast<int>(i));
    }
}

/// Effects: `iterations` times constructs a vector, pushes `elements` elements and destroys it. Not inlined, so that
/// the caller's code does not affect the loop.
template <class Family>
[[gnu::noinline]] void push_all(const Family& family, std::size_t elements, std::size_t iterations) {
    for (std::size_t r = 0; r != iterations; ++r) {
        auto vector = family.make();
        push_elements(vector, elements);
        escape(vector.data());
    }
}

/// Measures one cell, with one family of vectors.
class expansion_run {
public:
    expansion_run(const vector_cell& cell, row& result, run_options& options)
        : cell_(cell), result_(result), options_(options) {}

    template <class Family>
    void operator()(const Family& family) {
        const std::int64_t baseline = resident_bytes();
        warm_up_with([&] { push_all(family, std::min(cell_.elements, most_warm_elements), 1); });
        const bool knows_peak = forget_peak();
        const stopwatch watch;
        push_all(family, cell_.elements, cell_.iterations);
        result_.timed = watch.elapsed();
        const std::int64_t peak = peak_resident_bytes() - baseline;
        write_times();
        if (knows_peak) {
            result_.add_figure("peak_bytes", static_cast<double>(peak));
        } else {
            options_.notes.emplace_back(
                "no peak_bytes: the system does not reset the peak of the memory held");
        }
        count_requests(family);
    }

private:
    void write_times() {
        result_.iterations = static_cast<std::int64_t>(cell_.iterations);
        result_.operations = static_cast<std::int64_t>(cell_.iterations * cell_.elements);
        result_.add_figure("push_back_ns", static_cast<double>(result_.timed.cpu_ns) /
                                               static_cast<double>(result_.operations));
    }

    /// Effects: builds another vector in the same state of memory, and counts its requests.
    template <class Family>
    void count_requests(const Family& family) {
        request_counter counter;
        {
            auto vector = family.make_counted(counter, 0);
            push_elements(vector, cell_.elements);
            checksum sum;
            for (const int element : vector) {
                sum.add(static_cast<std::uint64_t>(element));
            }
            result_.checksum = to_hexadecimal(sum.value());
            result_.add_figure("final_capacity", static_cast<double>(vector.capacity()));
        }
        result_.allocations = counter.allocations;
        result_.deallocations = counter.deallocations;
        result_.add_figure("allocations", static_cast<double>(counter.allocations));
        result_.add_figure("expansions_forward", static_cast<double>(counter.expansions_forward));
        result_.add_figure("expansions_backward", static_cast<double>(counter.expansions_backward));
        result_.add_figure("peak_live_bytes", static_cast<double>(counter.peak_live_bytes));
    }

    const vector_cell& cell_;
    row& result_;
    run_options& options_;
};

template <masked_expansion Masked>
row run_expansion(const char* name, strategy_filter offered, arguments& args, run_options& options) {
    const vector_cell cell = parse(args, options, offered);
    args.finish();

    row result;
    result.experiment = name;
    result.write_parameters = [cell](json_writer& json) {
        json.member("elements", cell.elements)
            .member("iterations", cell.iterations)
            .member("type", cell.type);
    };
    try {
        with_cell_vectors<Masked>(cell, options, expansion_run(cell, result, options));
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_expansion(json_writer& json, strategy_filter offered) {
    describe_strategies(json, offered, pool_listing::strategies);
    json.key("elements").open('[').value(1).value(most_elements).close(']');
    json.key("iterations").open('[').value(1).value(most_iterations).close(']');
}

} // namespace

row run_expansion_forward(arguments& args, run_options& options) {
    return run_expansion<masked_expansion::none>("expansion-forward", has_forward, args, options);
}

#ifndef BENCH_SURVEY_ONLY
row run_expansion_backward(arguments& args, run_options& options) {
    return run_expansion<masked_expansion::forward>("expansion-backward", has_backward, args, options);
}
#endif

void describe_expansion_forward(json_writer& json) {
    describe_expansion(json, has_forward);
}

void describe_expansion_backward(json_writer& json) {
    describe_expansion(json, has_backward);
}

} // namespace bench

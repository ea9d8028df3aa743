/// The article's test of shrinking: a vector repeatedly erases some of its last elements, and returns their memory,
/// until it is empty.
///
/// A row's time covers the construction of the vector and the shrinking, as in the article. `shrink_ns` is the time
/// of the shrinking alone, if a vector shrinks a hundred times or more.
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

constexpr std::size_t default_shrink_step = 5; // as in the article
constexpr std::size_t default_shrinks = 2'000'000;
constexpr std::size_t default_copies = 2'000'000'000;

struct shrink_cell : vector_cell {
    std::size_t step;

    [[nodiscard]] std::size_t shrinks() const noexcept { return elements / step; }
};

/// True if the experiment has the strategy. Masking affects expansion only, so a masked strategy shrinks like
/// its unmasked one.
bool has_shrink_to_fit(const strategy& s) noexcept {
    return has_vectors(s) && s.version != vector_version::second_masked;
}

/// Returns: the article's step for small vectors, and a longer one for large vectors, so that strategies that copy
/// terminate in time.
std::size_t default_step(std::size_t elements) noexcept {
    return elements <= 100'000     ? default_shrink_step
           : elements <= 1'000'000 ? elements / 500
                                   : elements / 100;
}

/// Returns: a number of iterations that takes a moment, even if every shrink copies the remaining elements.
std::size_t default_iterations(const shrink_cell& cell) noexcept {
    const std::size_t copies = cell.elements * cell.shrinks() / 2;
    return std::max<std::size_t>(1, std::min(default_shrinks / cell.shrinks(), default_copies / copies));
}

shrink_cell parse(arguments& args, run_options& options) {
    shrink_cell cell{};
    cell.subject = choose_strategy(args, options, has_shrink_to_fit);
    cell.elements = static_cast<std::size_t>(args.number("elements", -1, 2, most_elements));
    const auto default_value = static_cast<std::int64_t>(default_step(cell.elements));
    cell.step = static_cast<std::size_t>(args.number("step", default_value, 1, most_elements));
    if (cell.elements % cell.step != 0) {
        throw usage_error("--elements " + std::to_string(cell.elements) +
                          ": allowed are multiples of --step " + std::to_string(cell.step) +
                          ", because the vector is to become empty");
    }
    cell.iterations = static_cast<std::size_t>(
        args.number("iterations", static_cast<std::int64_t>(default_iterations(cell)), 1, most_iterations));
    cell.type = parse_type(args, cell.subject);
    return cell;
}

template <class Vector>
void shrink_once(Vector& vector, std::size_t step) {
    vector.erase(vector.end() - static_cast<std::ptrdiff_t>(step), vector.end());
    vector.shrink_to_fit();
    escape(vector.data());
}

/// Effects: shrinks the vector `count` times. Not inlined, so that each type of vector has its own loop.
template <class Vector>
[[gnu::noinline]] void shrink(Vector& vector, std::size_t step, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        shrink_once(vector, step);
    }
}

/// Measures one cell, with one family of vectors.
class shrink_run {
public:
    shrink_run(const shrink_cell& cell, row& result) : cell_(cell), result_(result) {}

    template <class Family>
    void operator()(const Family& family) {
        const std::int64_t baseline = inspect_memory().bytes;
        warm_up_with([&] {
            auto vector = family.make(std::max(std::min(cell_.elements, most_warm_elements), cell_.step));
            shrink_once(vector, cell_.step);
        });
        const stopwatch watch;
        std::int64_t shrinking_ns = 0;
        for (std::size_t r = 0; r != cell_.iterations; ++r) {
            shrinking_ns += make_and_shrink(family);
        }
        result_.timed = watch.elapsed();
        write_times(shrinking_ns);
        record_figures(family, baseline);
    }

private:
    /// Returns: true if the shrinks take much longer than reading the clock.
    [[nodiscard]] bool separates_shrinking() const noexcept { return cell_.shrinks() >= 100; }

    /// Returns: the time of the shrinking in nanoseconds; 0 if it cannot be separated.
    template <class Family>
    [[nodiscard]] std::int64_t make_and_shrink(const Family& family) const {
        using clock = std::chrono::steady_clock;
        auto vector = family.make(cell_.elements);
        escape(vector.data());
        if (!separates_shrinking()) {
            shrink(vector, cell_.step, cell_.shrinks());
            return 0;
        }
        const auto begin = clock::now();
        shrink(vector, cell_.step, cell_.shrinks());
        return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    }

    void write_times(std::int64_t shrinking_ns) {
        result_.iterations = static_cast<std::int64_t>(cell_.iterations);
        result_.operations = static_cast<std::int64_t>(cell_.iterations * cell_.shrinks());
        const std::int64_t ns = separates_shrinking() ? shrinking_ns : result_.timed.cpu_ns;
        result_.add_figure("shrink_ns", static_cast<double>(ns) / static_cast<double>(result_.operations));
    }

    /// Effects: shrinks another vector, and records its requests, its checksum and the memory held in between.
    template <class Family>
    void record_figures(const Family& family, std::int64_t baseline) {
        request_counter counter;
        {
            auto vector = family.make_counted(counter, cell_.elements);
            for (std::size_t i = 0; i != cell_.elements; ++i) {
                vector[i] = static_cast<int>(i);
            }
            const std::int64_t held = inspect_memory().bytes - baseline;
            const std::size_t first_half = cell_.shrinks() / 2;
            shrink(vector, cell_.step, first_half);
            const std::int64_t half = inspect_memory().bytes - baseline;
            result_.checksum = values_checksum(vector);
            shrink(vector, cell_.step, cell_.shrinks() - first_half - 1);
            const held_memory at_last = inspect_memory();
            const std::int64_t remaining = at_last.bytes - baseline;
            shrink(vector, cell_.step, 1);
            result_.add_figure("held_bytes", static_cast<double>(held));
            result_.add_figure("half_bytes", static_cast<double>(half));
            result_.add_figure("left_bytes", static_cast<double>(remaining));
            result_.add_figure("offered_bytes", static_cast<double>(at_last.offered_bytes));
            result_.add_figure("returned_bytes", static_cast<double>(held - remaining));
        }
        result_.allocations = counter.allocations;
        result_.deallocations = counter.deallocations;
        result_.add_figure("shrinks", static_cast<double>(counter.shrinks));
        result_.add_figure("allocations", static_cast<double>(counter.allocations));
    }

    template <class Vector>
    static std::string values_checksum(Vector& vector) {
        checksum sum;
        for (const int element : vector) {
            sum.add(static_cast<std::uint64_t>(element));
        }
        return to_hexadecimal(sum.value());
    }

    const shrink_cell& cell_;
    row& result_;
};

} // namespace

row run_shrink_to_fit(arguments& args, run_options& options) {
    const shrink_cell cell = parse(args, options);
    args.finish();

    row result;
    result.experiment = "shrink-to-fit";
    result.write_parameters = [cell](json_writer& json) {
        json.member("elements", cell.elements)
            .member("step", cell.step)
            .member("iterations", cell.iterations)
            .member("type", cell.type);
    };
    try {
        with_cell_vectors<masked_expansion::none>(cell, options, shrink_run(cell, result));
    } catch (const std::bad_alloc&) {
        result.out_of_memory = true;
        result.timed = {};
        result.figures.clear();
    }
    return result;
}

void describe_shrink_to_fit(json_writer& json) {
    describe_strategies(json, has_shrink_to_fit, pool_listing::strategies);
    json.key("elements").open('[').value(2).value(most_elements).close(']');
    json.key("step").open('[').value(1).value(most_elements).close(']');
    json.key("iterations").open('[').value(1).value(most_iterations).close(']');
}

} // namespace bench

/// The common parts of the experiments with vectors: their cells, elements and memory.
#pragma once

#include "runner/harness/memory.hpp"
#include "runner/harness/process.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/workload/growth/vector_families.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

inline constexpr std::int64_t most_elements = 100'000'000;
inline constexpr std::int64_t most_iterations = 1'000'000'000;

struct vector_cell {
    strategy subject;
    std::size_t elements;
    std::size_t iterations;
    std::string type;

    [[nodiscard]] bool is_int() const noexcept { return type == "int"; }
    [[nodiscard]] std::size_t bytes() const noexcept { return elements * sizeof(int); }

    /// The memory of a vector that moves into a block of twice the size, and as much again for gaps between blocks.
    [[nodiscard]] std::size_t bytes_expected() const noexcept { return 6 * bytes() + (std::size_t{1} << 20); }
};
static_assert(sizeof(my_int) == sizeof(int));

/// Throws: usage_error if the strategy does not support the --type.
inline std::string parse_type(arguments& args, const strategy& subject) {
    const std::string type = args.choice("type", {"int", "myint"}, "int");
    if (type != "int" && subject.mechanism == mechanism_kind::c_realloc) {
        throw usage_error("--strategy realloc with --type " + type +
                          ": realloc moves elements as bytes, which is for int only");
    }
    return type;
}

/// Returns: the memory of null, which is touched in advance, or of a strategy that works in a region, which is as
/// cold as memory fresh from the system.
inline static_buffer make_region(const vector_cell& cell) {
    if (cell.subject.mechanism == mechanism_kind::null) {
        return {buffer_state::warm, cell.bytes(), cell.bytes()};
    }
    return {is_in_a_region(cell.subject.mechanism) ? buffer_state::cold : buffer_state::none,
            4 * cell.bytes_expected(), 0};
}

/// Effects: brings in the memory, and calls `run` with the family of the cell's vectors.
template <masked_expansion Masked, class Run>
void with_cell_vectors(const vector_cell& cell, run_options& options, Run&& run) {
    expect_room(cell.bytes_expected(), options.notes);
    bring_in(std::min(cell.bytes_expected(), most_to_bring_in()));
    const static_buffer region = make_region(cell);
    if (cell.is_int()) {
        with_vectors<Masked, int>(cell.subject, region.span(), run);
    } else {
        with_vectors<Masked, my_int>(cell.subject, region.span(), run);
    }
}

/// Effects: calls `work` for some milliseconds. This warms the code, the libraries and the processor, as in a
/// running program.
template <class Work>
void warm_up_with(Work&& work) {
    using clock = std::chrono::steady_clock;
    constexpr auto duration = std::chrono::milliseconds(5);
    const auto begin = clock::now();
    do {
        work();
    } while (clock::now() - begin < duration);
}

/// The largest vector of the warm-up.
inline constexpr std::size_t most_warm_elements = 64;

} // namespace bench

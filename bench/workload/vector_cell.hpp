/// What the experiments with vectors have in common: the vectors' elements, and the memory that they need.
#pragma once

#include "bench/harness/memory.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/static_buffer.hpp"
#include "bench/workload/vector_families.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

inline constexpr std::int64_t most_elements = 100'000'000;
inline constexpr std::int64_t most_iterations = 1'000'000'000;

struct vector_cell {
    strategy how;
    std::size_t elements;
    std::size_t iterations;
    std::string type;

    [[nodiscard]] bool is_int() const noexcept { return type == "int"; }
    [[nodiscard]] std::size_t bytes() const noexcept { return elements * sizeof(int); }

    /// What a vector takes that moves into a block twice as large as the one that it leaves, and as much again for
    /// what lies between blocks.
    [[nodiscard]] std::size_t bytes_expected() const noexcept { return 6 * bytes() + (std::size_t{1} << 20); }
};
static_assert(sizeof(my_int) == sizeof(int));

/// Throws: usage_error where --type is nothing that the strategy can have.
inline std::string parse_type(arguments& given, const strategy& how) {
    const std::string type = given.choice("type", {"int", "myint"}, "int");
    if (type != "int" && how.mechanism == mechanism_kind::c_realloc) {
        throw usage_error("--strategy realloc with --type " + type +
                          ": realloc moves elements as bytes, which is for int only");
    }
    return type;
}

/// The memory of the strategies that are given theirs: the floor has its elements there already, a region is as
/// cold as what others get from the system.
inline static_buffer region_of(const vector_cell& cell) {
    if (cell.how.mechanism == mechanism_kind::null) {
        return {buffer_state::warm, page_size::small, cell.bytes(), cell.bytes()};
    }
    return {is_in_a_region(cell.how.mechanism) ? buffer_state::cold : buffer_state::none, page_size::small,
            4 * cell.bytes_expected(), 0};
}

/// Effects: calls `run` with the family of the cell's vectors, and what they are made of brought in before.
template <masked_ways Masked, class Run>
void with_vectors_of(const vector_cell& cell, run_options& options, Run&& run) {
    expect_room(cell.bytes_expected(), options.notes);
    bring_in(std::min(cell.bytes_expected(), most_to_bring_in()));
    const static_buffer region = region_of(cell);
    if (cell.is_int()) {
        with_vectors<Masked, int>(cell.how, region.span(), run);
    } else {
        with_vectors<Masked, my_int>(cell.how, region.span(), run);
    }
}

/// Effects: calls `work` for some milliseconds: the code, the libraries' first-time work and the processor come
/// to where they are when a program has been running.
template <class Work>
void warm_up_with(Work&& work) {
    using clock = std::chrono::steady_clock;
    constexpr auto enough = std::chrono::milliseconds(5);
    const auto begin = clock::now();
    do {
        work();
    } while (clock::now() - begin < enough);
}

/// How many elements a vector has before the clock starts.
inline constexpr std::size_t most_warm_elements = 64;

} // namespace bench

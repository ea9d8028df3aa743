/// A cell of Benchmark I: its parameters and its measurement. Benchmark V repeats it in a previously used heap.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

inline constexpr unsigned least_size_log2 = 6;
inline constexpr unsigned largest_size_log2 = 16;
inline constexpr unsigned inner_leaves_log2 = 7; ///< of DS5..DS12 (P0089R1, section 7)

/// True for strategies that one thread can use and that serve every container.
[[nodiscard]] bool has_density(const strategy& s) noexcept;

/// The upstream of the local allocators.
enum class chunk_source { cache, heap };

struct density_cell {
    std::size_t structure; ///< index into data_structures() and the tables
    strategy subject;
    unsigned size_log2;
    unsigned inner_log2;
    unsigned product_log2;
    std::string buffer;
    std::size_t buffer_bytes;
    std::string hash;
    chunk_source upstream = chunk_source::cache;
};

/// Effects: reads the options of a cell, and the strategy's name into `options`. Shrinks a buffer that does not fit
/// into free memory, and adds a note.
/// Throws: usage_error.
[[nodiscard]] density_cell parse_density(arguments& args, run_options& options, strategy_filter offered,
                                         const std::string& default_buffer = "warm");

/// Effects: writes the members of the object "parameters".
void write_density_parameters(const density_cell& cell, json_writer& json);

/// Effects: draws the inputs, calls `prepare`, and measures the cell.
void measure_density(const density_cell& cell, run_options& options, row& result,
                     const std::function<void()>& prepare);

/// The calls of one structure to the abstract base, from the measured functions.
struct dispatch_count {
    std::size_t allocations;
    std::size_t deallocations;
};
[[nodiscard]] dispatch_count count_dispatched(std::size_t structure, bool winked_out, unsigned size_log2);

} // namespace bench

/// A cell of Benchmark I: its parameters and its measurement. Benchmark V repeats it in a previously used heap.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace bench {

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

} // namespace bench

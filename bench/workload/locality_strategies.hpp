/// The subsystems of Benchmark II under each strategy.
#pragma once

#include "bench/strategy/table.hpp"
#include "bench/workload/locality_measure.hpp"

namespace bench {

/// Whether the experiment has the strategy. A monotonic allocator never takes a link back, so that a shuffle
/// takes more memory with every pass: none of those.
[[nodiscard]] bool has_locality(const strategy& s) noexcept;

/// Returns: the size of a subsystem under `s`, without its links.
[[nodiscard]] std::size_t subsystem_bytes(const strategy& s);

/// Effects: measures the cell under `s` and writes what came of it into `result`.
void measure_locality_under(const strategy& s, const locality_cell& cell, row& result);

} // namespace bench

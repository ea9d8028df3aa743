/// The subsystems of Benchmark II under each strategy.
#pragma once

#include "runner/strategy/table.hpp"
#include "runner/workload/locality/measure.hpp"

namespace bench {

/// True if the experiment has the strategy. Monotonic allocators are excluded: they never free a link, so that every
/// shuffle takes more memory.
[[nodiscard]] bool has_locality(const strategy& s) noexcept;

/// Returns: the size of a subsystem under `s` in bytes, without its links.
[[nodiscard]] std::size_t subsystem_bytes(const strategy& s);

/// Effects: measures the cell under `s`, and writes the results into `result`.
void measure_locality_under(const strategy& s, const locality_cell& cell, row& result);

} // namespace bench

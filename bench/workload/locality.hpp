/// Benchmark II: what becomes of subsystems whose memory is shuffled, as that of a program that runs for
/// long.
///
/// A system of lists is built; then elements move from each list in turn to a list drawn at random, and under
/// each shuffle factor the time to visit the lists is taken: under every access factor (traversals of a list
/// before the next one is visited). In the end all lists are cleared, filled again, and traversed once.
///
/// Source: P0089R1, section 8; P0213R0, section 10.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_locality(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_locality(json_writer& json);

} // namespace bench

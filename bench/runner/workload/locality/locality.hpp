/// Benchmark II: subsystems whose memory becomes shuffled, as in a long-running program.
///
/// A system of lists is built. Then each list in turn moves elements to random lists. At each shuffle factor the
/// visits of the lists are timed, under every access factor (the number of traversals of a list before the next one
/// is visited). At the end, all lists are cleared, filled again and traversed once.
///
/// Source: P0089R1, section 8; P0213R0, section 10.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_locality(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_locality(json_writer& json);

} // namespace bench

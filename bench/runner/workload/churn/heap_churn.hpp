/// A test of fragmentation: repeatedly, a random block is freed and a block of random size allocated, with a constant
/// number of live blocks.
///
/// Both ends of a new block are written, so that its memory is present. Its first word is read when it is freed.
/// Places and sizes are drawn outside the timed part, in batches of some ten thousand. After each tenth of the run,
/// the memory held is compared with the live bytes.
///
/// Source: P0089R1, sections 8 and 9, exclude coalescing allocators from the benchmarks of long-running
/// systems, for which they are made. The measure is that of Johnstone and Wilson, "The memory fragmentation
/// problem: solved?" (1998): peak of the memory held, divided by the peak of the live bytes.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_heap_churn(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_heap_churn(json_writer& json);

} // namespace bench

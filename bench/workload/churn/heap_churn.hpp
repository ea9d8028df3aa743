/// A test of fragmentation: over and over, a random block is freed and a block of random size allocated, while
/// the number of live blocks stays constant.
///
/// Both ends of a new block are written, so that its memory is present. Its first word is read when it is
/// freed. Places and sizes are drawn outside the timed part, some ten thousand at a time. After each tenth of
/// the run, the memory held is compared with the live bytes.
///
/// Source: P0089R1, sections 8 and 9, leave coalescing allocators out of the benchmarks of long-running
/// systems, for which they are made. The measure is that of Johnstone and Wilson, "The memory fragmentation
/// problem: solved?" (1998): peak of the memory held, divided by the peak of the live bytes.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_heap_churn(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_heap_churn(json_writer& json);

} // namespace bench

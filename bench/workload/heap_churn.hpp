/// What fragments a heap: blocks of random sizes, of which a random one is freed and another one allocated, over and
/// over, while as many of them live all the time.
///
/// Both ends of a new block are written, so that its memory is there, and its first word is read when it is freed.
/// Which block goes and how large the next one is, is drawn before the clock starts, some ten thousand at a time.
/// After each tenth of the run it is asked how much memory is held for the bytes that live.
///
/// Source: P0089R1, sections 8 and 9, leave coalescing allocators out of their benchmarks of long-running systems;
/// this is the test that they are made for. Johnstone and Wilson, "The memory fragmentation problem: solved?" (1998),
/// for the measure: memory held at its peak by bytes that lived at their peak.
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

/// Benchmark V: the work of Benchmark I in a program with a previously used heap.
///
/// Chunks of random sizes are allocated from the global heap, and some of them, drawn at random, are freed. The
/// others stay. This affects the global allocator only, as in the paper, unless the local allocators take their
/// chunks from that heap too.
///
/// Source: P0213R0, section 13.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"
#include "runner/strategy/table.hpp"

namespace bench {

/// True for density's strategies, except the ones that separate the parts of a cost.
[[nodiscard]] bool has_fragmentation(const strategy& s) noexcept;

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_fragmentation(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_fragmentation(json_writer& json);

} // namespace bench

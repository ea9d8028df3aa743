/// Benchmark IV: threads that allocate at the same time.
///
/// Each of them again and again makes an allocator of its own, allocates a block, increments its first byte,
/// deallocates it, many times, and destroys the allocator. The global allocator, and those that are shared on
/// purpose, are there all the time. A block may also be freed by another thread than the one that allocated
/// it.
///
/// Source: P0089R1, sections 10 and 11; P0213R0, section 12.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_contention(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_contention(json_writer& json);

} // namespace bench

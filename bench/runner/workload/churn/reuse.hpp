/// The cost of an order of frees for later allocations: N blocks are freed and as many allocated again.
///
/// Patterns: all blocks are freed in the order of their allocation, in reverse or at random, and allocated again; one
/// random block is freed and at once replaced; a random half is freed and allocated again. The first word of a block
/// is written when it is allocated and read when it is freed. Sizes are equal, or drawn for each allocation. Orders
/// and sizes are drawn before the clock starts.
///
/// Source: none of the papers frees its blocks at random. There a list of free blocks shows its weakness: each
/// allocation waits for a link in a block that left the cache long ago.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_reuse(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_reuse(json_writer& json);

} // namespace bench

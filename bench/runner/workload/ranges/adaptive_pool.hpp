/// The article's test of adaptive pools: the nodes of a list are inserted and erased in ranges of one length, with an
/// allocation for each node or for each range (bursts).
///
/// The list is the runner's own, under every strategy: nodes of two pointers and a number, 24 bytes each.
/// Ranges are inserted at the end and erased from the front, first with a new allocator, then once more with
/// the used one.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 2 and 3.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_adaptive_pool(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_adaptive_pool(json_writer& json);

} // namespace bench

/// The article's test of adaptive pools: two million nodes of a list, inserted at its end and erased from its
/// front by ranges of one length; an allocation for each node, or for each range (bursts).
///
/// The list is the runner's own, the same for all: nodes of two pointers and a number, 24 bytes. Both is done
/// once with a new allocator and once more with the same.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapters 2 and 3.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_adaptive_pool(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_adaptive_pool(json_writer& json);

} // namespace bench

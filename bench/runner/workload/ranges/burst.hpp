/// The article's test of bursts: the nodes of a list are inserted and erased in ranges of one length, with a request
/// for each node or for each range. It also times single nodes, and the freeing of all nodes at once.
///
/// The list is that of adaptive-pool (workload/ranges/node_list.hpp). That experiment measures the memory of pools;
/// this one measures the speed of heaps and pools.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_burst(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_burst(json_writer& json);

} // namespace bench

/// The article's test of bursts: nodes of a list that come by ranges of one length and go so, each with a request
/// of its own or all of a range with one; and, beside it, the list's nodes one by one, and all at once.
///
/// The list is the one of adaptive-pool (workload/node_list.hpp). That experiment asks what pools hold; this one
/// asks how fast the ways are, of heaps and pools alike.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 2.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_burst(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_burst(json_writer& json);

} // namespace bench

/// The operations that everything else is made of, hot: one pair of 24 bytes, and the life of an allocator
/// that serves one block. What they cost is what an allocator costs where memory is no matter.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_primitives(arguments& given, run_options& options);

void describe_primitives(json_writer& json);

} // namespace bench

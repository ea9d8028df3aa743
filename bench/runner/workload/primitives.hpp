/// The smallest operations, hot: an allocation and deallocation of 24 bytes, and the life of an allocator that
/// serves one block. They show the cost of an allocator's code, without that of memory.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_primitives(arguments& args, run_options& options);

void describe_primitives(json_writer& json);

} // namespace bench

/// The article's test of shrinking: a vector repeatedly erases some of its last elements, and returns their memory,
/// until it is empty.
///
/// A row's time covers the construction of the vector and the shrinking, as in the article. `shrink_ns` is the time
/// of the shrinking alone, if a vector shrinks a hundred times or more.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_shrink_to_fit(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_shrink_to_fit(json_writer& json);

} // namespace bench

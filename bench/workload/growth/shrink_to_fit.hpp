/// The article's test of shrinking: a vector loses its last elements, a few at a time, and gives back their
/// memory each time, until it is empty.
///
/// A row's time is that of making the vector and shrinking it, as in the article. `shrink_ns` is the time of
/// the shrinking alone, if a vector shrinks a hundred times or more.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1.
#pragma once

#include "bench/harness/arguments.hpp"
#include "bench/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `given` describes.
/// Throws: usage_error.
[[nodiscard]] row run_shrink_to_fit(arguments& given, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_shrink_to_fit(json_writer& json);

} // namespace bench

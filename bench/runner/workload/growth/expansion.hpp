/// The article's tests of growth: vectors are repeatedly constructed, filled by push_back, and destroyed.
///
/// Forward: with every kind of growth that a strategy has. Backward: without growth forward, which is always tried
/// first and would hide it. Growth backward saves memory: the elements need no second block while they move.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 1.
#pragma once

#include "runner/harness/arguments.hpp"
#include "runner/harness/row.hpp"

namespace bench {

/// Effects: runs the cell that `args` describes.
/// Throws: usage_error.
[[nodiscard]] row run_expansion_forward(arguments& args, run_options& options);
[[nodiscard]] row run_expansion_backward(arguments& args, run_options& options);

/// Effects: writes the members of the object that describes the experiment.
void describe_expansion_forward(json_writer& json);
void describe_expansion_backward(json_writer& json);

} // namespace bench

/// One recording, from the start of the program to the trace in its place.
#pragma once

#include "recorder/collect/arguments.hpp"

namespace mallard::collect {

/// Effects: runs the program, and writes the trace and a summary.
/// Returns: the exit status of the program, as a shell gives it; 2 if nothing was recorded.
/// Throws: failure if the program cannot be recorded; then it was not started.
int record(const arguments& how);

} // namespace mallard::collect

/// One recording, from the start of the program to the finished trace.
#pragma once

#include "recorder/collect/arguments.hpp"

namespace mallard::collect {

/// Effects: runs the program, and writes the trace and a summary.
/// Returns: the exit status of the program, in the format of a shell; 2 if nothing was recorded.
/// Throws: failure if the program cannot be recorded; before it is started.
int record(const arguments& args);

} // namespace mallard::collect

/// Writes the trace of a recording whose collector was killed.
#pragma once

#include "recorder/collect/arguments.hpp"

namespace mallard::collect {

/// Effects: writes the trace from the folder of parts of the interrupted recording, and a summary.
/// Returns: 0; 2 if nothing was recorded.
/// Throws: failure if there is nothing to recover, or if a recorded process is still running.
int recover(const arguments& args);

} // namespace mallard::collect

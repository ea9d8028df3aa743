/// Makes the trace of a recording whose collector was ended before its time.
#pragma once

#include "recorder/collect/arguments.hpp"

namespace mallard::collect {

/// Effects: writes the trace from the folder of parts that the recording left, and a summary.
/// Returns: 0; 2 if nothing was recorded.
/// Throws: failure if there is nothing to recover, or if a recorded process still runs.
int recover(const arguments& how);

} // namespace mallard::collect

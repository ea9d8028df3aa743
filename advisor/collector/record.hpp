/// One recording, from the start of the program to the finished trace; and the trace of one whose collector was killed.
#pragma once

#include "collector/arguments.hpp"

namespace mallard::collector {

/// Effects: runs the program, and writes the trace and a summary.
/// Returns: the exit status of the program, in the format of a shell; 2 if nothing was recorded.
/// Throws: failure if the program cannot be recorded; before it is started.
int record(const arguments& args);

/// Effects: records a running process until it or the recording ends, and writes the trace and a summary. The process goes on.
/// Returns: 0; 2 if nothing was recorded.
/// Throws: failure if the process cannot be recorded; it is unchanged then.
int record_process(const arguments& args);

/// Effects: writes the trace from the folder of parts of the interrupted recording, and a summary.
/// Returns: 0; 2 if nothing was recorded.
/// Throws: failure if there is nothing to recover, or if a recorded process is still running.
int recover(const arguments& args);

} // namespace mallard::collector

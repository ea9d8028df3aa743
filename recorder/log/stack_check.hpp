/// Compares each stack with a walk of the whole stack, and some with libgcc's, in the recorder that the tests build.
#pragma once

#include "recorder/log/thread_log.hpp"

namespace mallard::recorder {

#ifdef MALLARD_RECORDER_CHECKS_STACKS

/// Effects: prints both stacks, and ends the program, if they differ.
void check_stack(const unwind::stack& stack, caller from) noexcept;

/// Effects: writes the number of stacks that were compared to standard error.
void report_checks() noexcept;

#else

inline void check_stack(const unwind::stack&, caller) noexcept {}

#endif

} // namespace mallard::recorder

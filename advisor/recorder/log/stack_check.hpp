/// Compares each stack with a full walk, and some with libgcc's, in the recorder that the tests build.
#pragma once

#include "recorder/log/thread_log.hpp"

namespace mallard::recorder {

#ifdef MALLARD_RECORDER_CHECKS_STACKS

/// Effects: prints both stacks and aborts if they differ.
void check_stack(const unwind::stack& stack, caller from) noexcept;

/// Effects: writes the number of compared stacks to standard error.
void report_checks() noexcept;

#else

inline void check_stack(const unwind::stack&, caller) noexcept {}

#endif

} // namespace mallard::recorder

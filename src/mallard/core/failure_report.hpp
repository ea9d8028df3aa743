// The common part of failure.cpp and failure_refusal.cpp: two files, so that a program whose pools refuse no request links
// no text of refusals.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Effects: calls the out-of-memory handler, unless this thread's failures are quiet.
void call_oom_handler(std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: prints the message, and ends the program.
[[noreturn, gnu::format(MALLARD_FORMAT, 1, 2)]] void abort_with(const char* format, ...) noexcept;

}} // namespace mallard::core::MALLARD_LIBRARY

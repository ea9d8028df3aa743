/// The threads and processes of the system. One of three files implements it, and the parts of interfaces that need
/// the system (core/cancellation.hpp, core/mutex.hpp, impl/threads/fork_mutex.hpp):
///
///     threads_posix.cpp     pthreads; thread ids of Linux
///     threads_windows.cpp   no forks, and no number of a thread that another may have ended
///     threads_none.cpp      one thread, which never ends
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

/// Returns: the number of the calling process, which the child of a fork does not share.
[[nodiscard]] long this_process() noexcept;

/// Returns: the system's number of this thread; 1 if the system has no such number.
[[nodiscard]] long this_thread() noexcept;

/// Returns: true if no thread of `process` has that number, or the calling one has it. False if the system cannot tell.
[[nodiscard]] bool has_ended(long process, long thread) noexcept;

/// Effects: lets other threads run.
void yield() noexcept;

/// Effects: has these functions called before a fork, and after it in the process and in its child.
void call_at_fork(void (*before)() noexcept, void (*in_parent)() noexcept,
                  void (*in_child)() noexcept) noexcept;

/// Effects: has `run` called at the end of each thread that calls expect_thread_end(), after its thread_local objects have
/// ended. Does nothing if the system cannot do that, or it was called before.
void call_at_thread_end(void (*run)() noexcept) noexcept;

/// Requires: call_at_thread_end() was called.
void expect_thread_end() noexcept;

/// Effects: has no thread call the function any more.
void end_calls_at_thread_end() noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY

/// Tasks at the end of a thread, in two parts.
///
///     the thread's function returns
///       -> its thread_local objects end; among them the closer: the tasks of at_thread_close()
///       -> its thread-specific data ends, up to four times: the tasks of at_thread_end()
///
///     this thread:  newest task -> ... -> oldest task -> null         a list for each of the two
///
/// Data model: a task is storage of its thread and has no destructor. The lists run through the tasks, so that a
/// new task needs no memory and cannot fail. With a thread's first task the C library allocates some bytes to
/// register the closer, and ends the process if it cannot: a thread that must work without memory has to use an
/// allocator once before.
///
/// The first part takes memory that the thread can do without afterwards. The second takes memory away after the
/// thread_local objects have ended, because a thread_local container returns its nodes to a pool of its thread,
/// whichever of the two was constructed first. A thread may have its first task after its thread_local objects have
/// ended, in a destructor of thread-specific data. The closer does not run then, so the second part does the work
/// of both.
///
/// Invariants: a task is in a list at most once, from its registration to its run. While a thread has a closer,
/// the system does not unload the library.
/// Bound: the process uses one key of the system's thread-specific data. The second part does not run, and the memory
/// stays with the process,
/// - if no key was left;
/// - in the main thread if main() returns;
/// - in a thread whose first task comes after the last round of destructors;
/// - in a thread between the two parts when the library is unloaded.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

struct thread_end_task {
    void (*run)() noexcept;
    thread_end_task* next;
};

/// Effects: calls `task.run()` when this thread ends, the newest task first. A task may register itself or
/// another one again. The main thread runs none if main() returns: objects of static storage duration end after
/// its thread_local ones, and may use the memory.
/// Requires: `task` has thread storage duration, no destructor, and is not in the list.
void at_thread_end(thread_end_task& task) noexcept;

/// Effects: calls `task.run()` when this thread's thread_local objects end, the newest task first, or, if they
/// have ended, with the tasks of at_thread_end().
/// Requires: the thread has not closed; `task` has thread storage duration, no destructor, and is not in the
/// list.
void at_thread_close(thread_end_task& task) noexcept;

/// Returns: true if the calling thread has begun with its tasks of at_thread_close(), or with those of
/// at_thread_end(). It must not cache memory then.
[[nodiscard]] bool thread_has_closed() noexcept;

}} // namespace mallard::threads::MALLARD_LIBRARY

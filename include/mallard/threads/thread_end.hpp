/// Work that a thread does at its end, in two parts.
///
///     the thread's function returns
///       -> its thread_local objects end; among them the closer: the tasks of at_thread_close()
///       -> its thread-specific data ends, up to four times: the tasks of at_thread_end()
///
///     this thread:  newest task -> ... -> oldest task -> null         a list for each of the two
///
/// Data model: a task is storage of its thread and has no destructor, and the lists run through the tasks, so
/// that to ask for one needs no memory of its own and returns no failure. But where a thread asks for its first
/// one, the C library notes the closer's end in some bytes of malloc's, and ends the process if there are none: a
/// thread that is to go on without any memory has to use an allocator before, once. What the tasks of the second
/// part take away may be used by everything that ends before: a thread_local container returns its nodes to a
/// pool of its thread, whichever of the two was there first. The first part is for what threads can do without
/// afterwards. A thread may come here for the first time when its thread_local objects have ended already, from a
/// destructor of somebody's thread-specific data. The closer does not come then, so the second part does its work
/// too.
/// Invariants: a task is in a list once, from the call to its run. While a thread has a closer, the system does
/// not unload the library.
/// Bound: the process has one key of the system's thread-specific data for it. The second part does not come
/// where no key was left; in the main thread where main() returns; where a thread comes here for the first
/// time after the last round of destructors has passed the key; and in a thread that is between the two parts
/// when the library is unloaded. What the tasks would have given back stays with the process then.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::threads::inline MALLARD_LIBRARY {

struct thread_end_task {
    void (*run)() noexcept;
    thread_end_task* next;
};

/// Effects: has `task.run()` called when this thread ends, the newest task first. A task may ask for itself,
/// or for another one, again. The main thread runs none where main() returns: objects of static storage
/// duration end after its thread_local ones, and may use what the tasks would take away.
/// Requires: `task` has thread storage duration, no destructor, and is not in the list.
void at_thread_end(thread_end_task& task) noexcept;

/// Effects: has `task.run()` called when this thread's thread_local objects end, the newest task first, or, where
/// they have ended, with the tasks of at_thread_end().
/// Requires: the thread has not closed; `task` is as for at_thread_end().
void at_thread_close(thread_end_task& task) noexcept;

/// Returns: whether the calling thread has begun with its tasks of at_thread_end(). A thread_local object that
/// is made now has no end any more.
[[nodiscard]] bool thread_is_ending() noexcept;

/// Returns: whether the calling thread has begun with its tasks of at_thread_close(), or with those of
/// at_thread_end(). It must not keep anything for later.
[[nodiscard]] bool thread_has_closed() noexcept;

} // namespace mallard::threads::inline MALLARD_LIBRARY

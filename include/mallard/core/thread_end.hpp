/// Work that a thread does at its very end, after the destructors of its thread_local objects have run.
///
///     this thread:  newest task -> ... -> oldest task -> null
///
/// Data model: a task is storage of its thread and has no destructor, and the list runs through the tasks, so
/// that to ask for one needs no memory and cannot fail. What such a task takes away may be used by everything
/// that ends before: a thread_local container returns its nodes to a pool of its thread, whichever of the two
/// was there first.
/// Invariants: a task is in the list once, from at_thread_end() until it is run.
/// Bound: the process has one key of the system's thread-specific data for it. Where no key was left, tasks
/// are not run, and what they would have given back stays with the process.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::inline MALLARD_LIBRARY {

struct thread_end_task {
    void (*run)() noexcept;
    thread_end_task* next;
};

/// Effects: has `task.run()` called when this thread ends, the newest task first. A task may ask for itself,
/// or for another one, again. The main thread runs none where main() returns: objects of static storage
/// duration end after its thread_local ones, and may use what the tasks would take away.
/// Requires: `task` has thread storage duration, no destructor, and is not in the list.
void at_thread_end(thread_end_task& task) noexcept;

/// Returns: whether the calling thread has begun with its tasks. A thread_local object that is made now has
/// no end any more.
[[nodiscard]] bool thread_is_ending() noexcept;

} // namespace mallard::inline MALLARD_LIBRARY

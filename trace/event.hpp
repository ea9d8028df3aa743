/// What a reader of a trace is given: events in the order of time, and the stacks that they name.
#pragma once

#include "trace/part.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mallard::trace {

/// A stack, as the number of a node in the tree of contexts. Equal stacks have equal numbers.
using context_id = std::uint32_t;

/// One event of one process.
///
/// The kinds `thread_begin`, `thread_end`, `function_enter`, `function_exit` and `gap` are events without a stack. They have
/// no context, and change nothing for `kept` of the thread's next event that has one. Other records without a stack are
/// no events: `code`, `name` and `time_inside` are found in the reader's tables and in `ticks_inside`.
struct event {
    std::uint64_t ticks = 0; ///< of the processor's time stamp counter; never less than the event before
    /// Of the block or the function. The number of the name for scopes and progress, of the instance for instances.
    std::uint64_t address = 0;
    /// That were requested, for allocations. The allocations for `pool_rolled_back`; the frame for functions; the events
    /// that were left out for `gap`; else 0.
    std::uint64_t bytes = 0;
    std::uint64_t ticks_inside = 0;   ///< that the allocator took; 0 if this event was not timed
    std::uint64_t ticks_recorder = 0; ///< that the recorder took besides, if it was
    context_id context = 0;           ///< where the call came from
    /// Levels of the context, from the outermost one, that are the same calls as at the thread's event before: the same
    /// return address at the same place of the stack. The others are new.
    std::uint32_t kept = 0;
    std::uint32_t thread = 0; ///< counted from 0 in the order of their first events
    record_kind kind = record_kind::end;
    std::uint64_t pool = 0; ///< number, for the kinds of pools
};

/// A loaded file of code.
struct code_file {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t load_address = 0; ///< what is to be added to an address in the file
    std::string build_id;           ///< bytes, not digits; empty if the file has none
    std::string path;               ///< empty if the trace was redacted
    std::uint64_t first_ticks = 0;  ///< the file was there from this moment on, at the latest
};

/// One recorded process.
struct process {
    std::uint32_t number = 0; ///< the system's
    std::uint32_t parent = 0;
    stack_source stacks = stack_source::none;
    std::uint32_t sampled_one_in = 1; ///< activations that were recorded, of so many
    std::uint32_t timed_one_in = 0;   ///< events whose `ticks_inside` was taken, of so many
    std::uint64_t first_ticks = 0;
    std::uint64_t last_ticks = 0;
    double ticks_per_second = 0;
    /// That processors worked for the process between these ticks, summed over threads; 0 if it is not known.
    std::uint64_t cpu_nanoseconds = 0;
    std::uint32_t threads = 0;
    stop_reason stopped = stop_reason::none;
    std::int32_t exit_status = -1; ///< as wait() gives it; -1 if it is not known
    std::string executable;        ///< path; empty if the trace was redacted
    std::vector<std::string> command;
    std::uint64_t events = 0;                              ///< with a stack
    std::array<std::uint64_t, stack_ends> events_by_end{}; ///< by `stack_end`
    // What the trace does not have.
    std::uint64_t nested_events = 0;
    std::uint64_t forks_not_followed = 0;
    std::uint64_t programs_not_followed = 0;
    std::uint64_t blocks_without_end = 0;
    std::uint64_t names_lost = 0; ///< uses of scopes, marks and pools whose names found no room
    /// True if the end of the process is missing: the recording, or the file, was cut off.
    bool torn = false;
};

} // namespace mallard::trace

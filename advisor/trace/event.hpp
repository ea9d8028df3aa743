/// The contents of a trace for a reader: events in order of time, and the stacks that they refer to.
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
/// The kinds `thread_begin`, `thread_end`, `function_enter`, `function_exit`, `gap` and `resident` are events without a stack. They have
/// no context, and do not affect `kept` of the thread's next event with a stack. Other records without a stack are
/// not events: `code`, `name` and `time_inside` are in the reader's tables and in `ticks_inside`.
struct event {
    std::uint64_t ticks =
        0; ///< of the processor's time stamp counter; never less than in the preceding event
    /// Address of the block or function. For scopes and progress the number of the name, for instances that of the instance.
    std::uint64_t address = 0;
    /// Requested bytes of an allocation. The number of allocations for `pool_rolled_back`, the frame for functions, the number
    /// of skipped events for `gap`, 1/65,536 of a block's pages for `resident`; else 0.
    std::uint64_t bytes = 0;
    std::uint64_t ticks_inside = 0;   ///< in the allocator, with a time stamp; 0 if this event was not timed
    std::uint64_t ticks_recorder = 0; ///< in the recorder, with a time stamp, if the event was timed
    context_id context = 0;           ///< stack of the call
    /// Number of outer levels that are the same calls as in the thread's preceding event: the same return address at
    /// the same stack address. The other levels are new.
    std::uint32_t kept = 0;
    std::uint32_t thread = 0; ///< counted from 0 in the order of their first events
    record_kind kind = record_kind::end;
    std::uint64_t pool = 0; ///< number, for the kinds of pools
};

/// A loaded file of code.
struct code_file {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t load_address = 0; ///< the offset of an address in memory from that in the file
    std::string build_id;           ///< bytes, not digits; empty if the file has none
    std::string path;               ///< empty if the trace was redacted
    std::uint64_t first_ticks = 0;  ///< the file was loaded at this time or before
};

/// The resident memory of a process at one moment, as the system counts it.
struct memory_sample {
    std::uint64_t ticks = 0;
    std::uint64_t resident_bytes = 0;
    /// Of these, in files and shared memory: code, and the recorder's part.
    std::uint64_t file_bytes = 0;
};

/// One recorded process.
struct process {
    std::uint32_t number = 0; ///< process ID
    std::uint32_t parent = 0;
    stack_source stacks = stack_source::none;
    std::uint32_t sampled_one_in = 1; ///< one in this many activations was recorded
    std::uint32_t timed_one_in = 0;   ///< one in this many events has `ticks_inside`
    /// The mean that the recorder's time stamps add to `ticks_inside` and `ticks_recorder`. A counter that advances in steps makes a
    /// single time uncertain, so they are subtracted from sums.
    double stamp_ticks = 0;
    std::uint64_t first_ticks = 0;
    std::uint64_t last_ticks = 0;
    double ticks_per_second = 0;
    /// CPU time of the process between these ticks, summed over threads; 0 if unknown.
    std::uint64_t cpu_nanoseconds = 0;
    std::uint32_t threads = 0;
    stop_reason stopped = stop_reason::none;
    std::int32_t exit_status = -1; ///< in the format of wait(); -1 if unknown
    std::string executable;        ///< path; empty if the trace was redacted
    std::vector<std::string> command;
    std::uint64_t events = 0;                              ///< with a stack
    std::array<std::uint64_t, stack_ends> events_by_end{}; ///< by `stack_end`
    // What the trace lacks.
    std::uint64_t nested_events = 0;
    std::uint64_t forks_not_followed = 0;
    std::uint64_t programs_not_followed = 0;
    std::uint64_t blocks_without_end = 0;
    std::uint64_t names_lost = 0; ///< uses of scopes, marks and pools whose names did not fit into the table
    /// True if the end of the process is missing, because the recording was interrupted or the file truncated.
    bool torn = false;

    /// Returns: the duration of the recording; 0 if it is unknown.
    [[nodiscard]] double seconds() const noexcept {
        return ticks_per_second > 0 && last_ticks > first_ticks
                   ? static_cast<double>(last_ticks - first_ticks) / ticks_per_second
                   : 0;
    }
};

} // namespace mallard::trace

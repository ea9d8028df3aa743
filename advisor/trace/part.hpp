/// The file to which a recorded process writes its events, until `mallard record` has compressed them.
///
///     | header, 4 KiB | chunk 0, 256 KiB | chunk 1 | ... |
///     chunk: | chunk header, 64 B | record | record | ... | 0 |
///
/// Data model: the process maps the used part of the file as shared memory, so that a kill loses nothing that was written. A
/// thread writes to one chunk at a time, and the file is sparse. A full chunk waits for the collector, which frees it for reuse.
/// Invariants: a chunk is self-contained. Its first record of a thread has the thread's number and the time; its first
/// event has the full stack. The byte after the last record is 0. A record's first byte is written last, so a record
/// is either complete or absent.
/// Owner of a chunk: the thread that set it to `writing`; the collector while it is `full`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trace {

inline constexpr std::uint64_t part_magic =
    0x34'74'72'61'70'64'72'6d; // "mrdpart4": the last letter is the version
inline constexpr std::size_t header_bytes = 4096;
inline constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

/// A file next to the parts, until the recording begins. Processes that start meanwhile are idle.
inline constexpr const char* idle_file = "idle";

enum class chunk_state : std::uint32_t { free, writing, full };

/// The source of the stacks.
enum class stack_source : std::uint8_t { none, frame_pointers, descriptions };

/// Why a process stopped recording before its end.
enum class stop_reason : std::uint32_t {
    none,
    disk_full, ///< no space for another chunk, or more than a quota allows
    file_full, ///< the collector could not keep up, and the file is full
    requested, ///< the collector asked for it
    no_memory, ///< no memory for a thread's state, or for pages of the file
};

/// Returns: the name in profiles and messages; empty for `none`.
constexpr const char* name(stop_reason reason) noexcept {
    constexpr std::array<const char*, 5> names{"", "disk full", "file full", "asked", "no memory"};
    return names[static_cast<std::size_t>(reason)];
}

struct part_header {
    std::uint64_t magic = part_magic;
    std::uint32_t chunks = 0; ///< capacity of the file
    std::uint32_t process = 0;
    std::uint32_t parent = 0;
    stack_source stacks = stack_source::none;
    /// 1: the part of an executed program, which its executor has counted as not followed; the collector takes the
    /// count back.
    std::atomic<std::uint8_t> counted_as_not_followed{0};
    /// 1: the recording has not begun. The collector sets the first times and then clears it.
    std::atomic<std::uint8_t> idle{0};
    std::uint8_t unused = 0;
    std::uint64_t first_time = 0;        ///< in ticks of the processor's time stamp counter
    std::uint64_t first_nanoseconds = 0; ///< of CLOCK_MONOTONIC, at the same moment
    std::atomic<std::uint64_t> last_time{0};
    std::atomic<std::uint64_t> last_nanoseconds{0};
    // CPU time of the process, all its threads, in nanoseconds.
    std::uint64_t first_cpu_time = 0; ///< before the part, including earlier programs
    std::atomic<std::uint64_t> last_cpu_time{0};
    std::atomic<std::uint32_t> used_chunks{0}; ///< all other chunks were never written to
    std::atomic<stop_reason> stopped{stop_reason::none};
    std::atomic<std::uint32_t> stop{0}; ///< set by the collector
    std::atomic<std::uint32_t> threads{0};

    // What the trace lacks.
    /// Events in a signal handler that interrupted the recorder, or on a stack with too little room.
    std::atomic<std::uint64_t> nested_events{0};
    std::atomic<std::uint64_t> forks_not_followed{0}; ///< including those that could not be followed
    std::atomic<std::uint64_t> programs_not_followed{
        0}; ///< executed, including those that could not be followed
    std::atomic<std::uint64_t> blocks_without_end{0}; ///< sampled blocks whose end was not recorded

    std::uint32_t sampled_one_in = 1; ///< one in this many activations is recorded
    std::uint32_t timed_one_in = 0;   ///< one in this many events is timed
    double stamp_ticks = 0;           ///< of a time stamp, which the ticks of a timed event include
    std::atomic<std::uint64_t> names_lost{
        0}; ///< uses of scopes, marks and pools whose names did not fit into the table

    /// Events of threads whose first event came after the process restricted its system calls (seccomp).
    std::atomic<std::uint64_t> events_of_unknown_threads{0};

    /// The path, with a terminating zero; empty if unknown. A process may exit before the collector can ask the system.
    std::array<char, 2048> executable{};
};
static_assert(sizeof(part_header) <= header_bytes);

struct chunk_header {
    std::atomic<chunk_state> state{chunk_state::free};
    std::uint32_t thread = 0; ///< the one that took the chunk; others may follow
    std::uint64_t number = 0; ///< counts the process's chunks from 1, in the order in which they were taken
    std::uint64_t times_taken = 0;
    std::array<std::uint64_t, 5> unused{};
};
static_assert(sizeof(chunk_header) == 64);

inline constexpr std::size_t record_bytes = chunk_bytes - sizeof(chunk_header);

inline std::byte* chunk_at(std::byte* file, std::uint32_t index) noexcept {
    return file + header_bytes + index * chunk_bytes;
}

} // namespace mallard::trace

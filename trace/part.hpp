/// The file in which a recorded process leaves its events, until `mallard record` has compressed them.
///
///     | header, 4 KiB | chunk 0, 256 KiB | chunk 1 | ... |
///     chunk: | chunk header, 64 B | record | record | ... | 0 |
///
/// Data model: the process maps the file as far as it uses it, shared, so that a kill loses nothing that was written. A thread writes
/// to one chunk at a time, and the file is sparse. A full chunk waits for the compressor, which frees it for another use.
/// Invariants: a chunk stands alone. Its first record of a thread has the thread's number and the time; its first
/// event has its whole stack. The byte after the last record is 0. A record's first byte is written last, so a record
/// is there whole or not at all.
/// Owner of a chunk: the thread that set it to `writing`; the compressor, when it is `full`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trace {

inline constexpr std::uint64_t part_magic = 0x32'74'72'61'70'64'72'6d; // "mrdpart2"
inline constexpr std::size_t header_bytes = 4096;
inline constexpr std::size_t chunk_bytes = std::size_t{256} << 10;

enum class chunk_state : std::uint32_t { free, writing, full };

/// How stacks were taken.
enum class stack_source : std::uint8_t { none, frame_pointers, descriptions };

/// Why a process stopped recording before its end.
enum class stop_reason : std::uint32_t {
    none,
    disk_full, ///< no space for another chunk, or more than a quota allows
    file_full, ///< the compressor could not follow, and the file has no more room
    asked,     ///< the compressor went
    no_memory, ///< no memory for a thread's state, or for pages of the file
};

struct part_header {
    std::uint64_t magic = part_magic;
    std::uint32_t chunks = 0; ///< that the file has room for
    std::uint32_t process = 0;
    std::uint32_t parent = 0;
    stack_source stacks = stack_source::none;
    /// 1: the part of an executed program, which the process that executed it has counted as not followed; the collector counts
    /// it back.
    std::atomic<std::uint8_t> counted_as_not_followed{0};
    std::array<std::uint8_t, 2> unused{};
    std::uint64_t first_time = 0;        ///< in ticks of the processor's time stamp counter
    std::uint64_t first_nanoseconds = 0; ///< of CLOCK_MONOTONIC, at the same moment
    std::atomic<std::uint64_t> last_time{0};
    std::atomic<std::uint64_t> last_nanoseconds{0};
    // CPU time of the process, all its threads, in nanoseconds.
    std::uint64_t first_cpu_time = 0; ///< that it had taken before, as another program too
    std::atomic<std::uint64_t> last_cpu_time{0};
    std::atomic<std::uint32_t> used_chunks{0}; ///< all further ones were never written to
    std::atomic<stop_reason> stopped{stop_reason::none};
    std::atomic<std::uint32_t> stop{0}; ///< set by the compressor
    std::atomic<std::uint32_t> threads{0};

    // What the trace does not have.
    /// In a signal handler that interrupted the recorder, or on a stack without room for it.
    std::atomic<std::uint64_t> nested_events{0};
    std::atomic<std::uint64_t> forks_not_followed{0}; ///< also those that could not be followed
    std::atomic<std::uint64_t> programs_not_followed{
        0}; ///< executed ones, also those that could not be followed
    std::atomic<std::uint64_t> blocks_without_end{0}; ///< sampled ones whose end was left out

    std::uint32_t sampled_one_in = 1;         ///< activations that were recorded, of so many
    std::uint32_t timed_one_in = 0;           ///< events whose time in the allocator was taken, of so many
    std::atomic<std::uint64_t> names_lost{0}; ///< uses of scopes, marks and pools whose names found no room

    /// Of threads whose first event came after the process restricted its system calls (seccomp).
    std::atomic<std::uint64_t> events_of_unknown_threads{0};

    /// The path, and a zero; empty if it is not known. A process may end before the collector can ask the system.
    std::array<char, 2048> executable{};
};
static_assert(sizeof(part_header) <= header_bytes);

struct chunk_header {
    std::atomic<chunk_state> state{chunk_state::free};
    std::uint32_t thread = 0; ///< the one that took it; others may follow
    std::uint64_t number =
        0; ///< counts the chunks of the process from 1, in the order in which they were taken
    std::uint64_t times_taken = 0;
    std::array<std::uint64_t, 5> unused{};
};
static_assert(sizeof(chunk_header) == 64);

inline constexpr std::size_t record_bytes = chunk_bytes - sizeof(chunk_header);

inline std::byte* chunk_at(std::byte* file, std::uint32_t which) noexcept {
    return file + header_bytes + which * chunk_bytes;
}

} // namespace mallard::trace

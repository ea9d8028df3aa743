/// The counts of a trial, in a file that the program maps, so that a kill loses nothing.
///
///     | report | counts of arena 0 | counts of arena 1 | ... |
///
/// Owner of an arena's counts: the arena's thread. `mallard try` reads the file after the program has ended.
#pragma once

#include "history/history.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

/// A thread counts in cache lines of its own.
struct alignas(64) counts {
    std::uint64_t served = 0;
    std::uint64_t served_bytes = 0;
    std::uint64_t freed = 0;           ///< by the arena's own thread
    std::uint64_t freed_by_others = 0; ///< by other threads, and reclaimed by the arena
    std::uint64_t moved = 0;           ///< by realloc
    std::uint64_t started_again = 0;   ///< times that all memory was reused, because no block was live
    std::uint64_t most_taken_bytes = 0;
    // Requests of the scope that the global allocator served.
    std::uint64_t too_large = 0;
    std::uint64_t aligned = 0;
    std::uint64_t no_room = 0;
    std::uint64_t in_null = 0;
    std::uint64_t elsewhere = 0; ///< requests outside of the scope
    std::uint64_t by_stack = 0;  ///< decisions for which the stack was unwound
    // The last request of the scope, to explain a crash of the program.
    std::uint64_t last_bytes = 0;
    std::uint64_t last_caller = 0; ///< an address in the caller's code
};
static_assert(sizeof(counts) == 128);

struct report {
    static constexpr std::uint64_t right_magic = 0x33'6c'61'69'72'74'64'6d; // "mdtrial3"
    static constexpr unsigned max_arenas = 1021;

    std::uint64_t magic = right_magic;
    std::atomic<std::uint32_t> arenas{0};
    std::uint32_t ranges = 0;                    ///< number of requested code ranges
    std::atomic<std::uint32_t> seen{0};          ///< a bit for each of the first 32 ranges with a call
    std::atomic<std::uint32_t> seen_excepted{0}; ///< a bit for each of the first 32 excluded ranges
    // The trial's own time before the clock starts, with the history.
    std::uint64_t begin_cpu_ns = 0;
    std::uint64_t begin_wall_ns = 0;
    // The process itself, from the start of the clock, in a constructor, to its end or to its last execution of another program:
    // without the teardown, in which the system takes the memory back. All are 0 if it was killed.
    std::uint64_t cpu_ns = 0;
    std::uint64_t wall_ns = 0;
    std::uint64_t peak_bytes = 0; ///< also before the begin
    std::uint64_t faults = 0;
    /// The file of the allocator below the trial: its path, or the end of a longer one. Empty if unknown.
    std::array<char, 56> malloc_file{};

    history::remains history;          ///< of the heap, when the clock started
    std::uint64_t children_cpu_ns = 0; ///< of the children that the process waited for, until its end
    std::uint32_t is_replaced = 0;     ///< 1 if the process then executed another program
    // A reader of the running process increments `asked`, and the next allocation answers, in a process that is only measured.
    std::atomic<std::uint16_t> asked{0};
    std::atomic<std::uint16_t> answered{0};
    history::free_chunks answer;
    // At the end of the process; unknown if it was killed.
    history::resident_memory resident;
    history::held_memory held; ///< if requested, at a normal exit
    std::array<std::uint64_t, 12> reserved{};
    std::array<counts, max_arenas> arena_counts{};
};
static_assert(sizeof(report) == sizeof(counts) * (report::max_arenas + 3));

} // namespace mallard::trial

/// What a trial did, in a file that the program maps, so that a kill loses nothing.
///
///     | report | counts of server 0 | counts of server 1 | ... |
///
/// Owner of the counts of a server: the server's thread. `mallard try` reads the file when the program has ended.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

struct counts {
    std::uint64_t served = 0;
    std::uint64_t served_bytes = 0;
    std::uint64_t freed = 0;           ///< by the server's own thread
    std::uint64_t freed_by_others = 0; ///< those that came back to the server
    std::uint64_t moved = 0;           ///< by realloc
    std::uint64_t started_again = 0;   ///< times that no block was live, and all memory was used again
    std::uint64_t most_taken_bytes = 0;
    // Requests of the scope that the global allocator served.
    std::uint64_t too_large = 0;
    std::uint64_t aligned = 0;
    std::uint64_t no_room = 0;
    std::uint64_t in_null = 0;
    std::uint64_t elsewhere = 0;     ///< requests outside of the scope
    std::uint64_t delayed_frees = 0; ///< inside of the scope, if its operations are delayed
    // The last request of the scope, for a program that ends by a fault.
    std::uint64_t last_bytes = 0;
    std::uint64_t last_caller = 0; ///< an address in the caller's code
    std::array<std::uint64_t, 1> unused{};
};
static_assert(sizeof(counts) == 128);

struct report {
    static constexpr std::uint64_t right_magic = 0x31'6c'61'69'72'74'64'6d; // "mdtrial1"
    static constexpr unsigned most_servers = 1023;

    std::uint64_t magic = right_magic;
    std::atomic<std::uint32_t> servers{0};
    std::uint32_t ranges = 0;           ///< of code that were asked for
    std::atomic<std::uint32_t> seen{0}; ///< a bit for each of the first 32 of them, if a call was seen there
    std::atomic<std::uint32_t> seen_excepted{
        0}; ///< the same of the code that is left out, inside of the scope
    // What the trial itself did before the program's first allocation: litter, and the measure of a delay.
    std::uint64_t begin_cpu_ns = 0;
    std::uint64_t begin_wall_ns = 0;
    std::array<std::uint64_t, 11> unused_words{};
    std::array<counts, most_servers> of_server{};
};
static_assert(sizeof(report) == sizeof(counts) * (report::most_servers + 1));

} // namespace mallard::trial

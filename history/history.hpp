/// A history: what a process's heap has been through before a clock starts.
///
///     peak             blocks are allocated, up to the peak
///     replacement      in each round, random blocks are freed, and as many of other sizes allocated
///     after the peak   most blocks are freed, in random order
///     settling         pairs of requests, so that what a malloc does once, such as merging freed blocks, is done
///
/// Blocks are requested from the malloc that is aged, and written. The tables of a history lie in mappings of their own, which
/// are gone at its end. The blocks that stay are never freed.
///
/// Sizes are least / sqrt(u) bytes for uniform random u, up to the largest: many small ones, few large ones. A recording of a
/// program has the program's own sizes and lifetimes instead.
///
/// The component needs neither exceptions nor anything of the standard library's binary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mallard::history {

/// The malloc that is aged.
struct allocator {
    void* (*allocate)(std::size_t bytes); ///< null if there is no memory
    void (*free)(void* block);            ///< ignores null
    /// Called in place of `free` unless it is null. `bytes` are those of the request.
    void (*free_sized)(void* block, std::size_t bytes) = nullptr;
};

struct model {
    std::uint64_t peak_bytes = 0; ///< without a peak nothing happens: a young heap
    std::uint32_t rounds = 0;
    double replaced = 0; ///< share of the blocks that a round replaces
    double kept = 0;     ///< share that stays after the peak
    std::uint64_t seed = 1;
    std::uint32_t least_bytes = 16; ///< of a block
    std::uint32_t most_bytes = 2048;
};

struct age_level {
    std::string_view name;
    model figures;
};

inline constexpr std::array levels{
#define MALLARD_AGE(name, peak, rounds, replaced, kept) age_level{#name, {peak, rounds, replaced, kept}},
#include "history/ages.def"
#undef MALLARD_AGE
};

/// An error of `read_model`: the wrong part of the text. Empty if there is none.
using wrong_part = std::string_view;

inline constexpr std::string_view allowed_ages =
    "young, used or old, and after a comma peak=BYTES (64K to 64G; 0 for young), rounds=0 to 1000, replace=0 "
    "to 1, keep=0 to 1, sizes=LEAST-MOST (bytes of a block, 16 to 1M), seed=N";

/// Effects: reads a level, settings, or both, such as `old,peak=200M,keep=0.2`. Settings follow the level, and alone change `old`.
/// `result` keeps its value if the text is wrong.
wrong_part read_model(std::string_view text, model& result) noexcept;

/// The requests of a program, in order. `mallard profile --export history` writes the file:
///
///     | a word an event: bytes of a request, or freed + the slot of the block | trailer |
///
/// A request takes the slot that was freed last, or else the next new one.
class recording {
public:
    struct trailer {
        static constexpr std::uint64_t right_magic = 0x31'74'73'69'68'64'6d'2d; // "-mdhist1"

        std::uint64_t events = 0;
        std::uint64_t slots = 0; ///< as many as blocks are live at a time
        std::uint64_t magic = right_magic;
    };
    static constexpr std::uint32_t freed = std::uint32_t{1} << 31;
    static constexpr std::uint32_t most_bytes = freed - 1; ///< of a request; larger ones are stored as this

    recording() noexcept = default;
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
    ~recording();

    /// Effects: maps the file.
    /// Returns: true if it has a right trailer and the size of its events.
    /// Requires: nothing was opened before.
    bool open(const char* path) noexcept;

    [[nodiscard]] std::uint64_t slots() const noexcept { return end_.slots; }
    [[nodiscard]] const std::uint32_t* begin() const noexcept { return events_; }
    [[nodiscard]] const std::uint32_t* end() const noexcept { return events_ + end_.events; }

private:
    const std::uint32_t* events_ = nullptr;
    std::size_t bytes_ = 0;
    trailer end_{};
};

enum class failure : std::uint32_t {
    none,
    no_tables,       ///< the system gave no memory for the history's tables
    no_block,        ///< the malloc returned null; all blocks were freed
    wrong_recording, ///< an event frees a block that is not live; all blocks were freed
};

/// What a history left. Figures that are not known are `unknown`.
struct remains {
    static constexpr std::uint64_t unknown = ~std::uint64_t{0};

    failure failed = failure::none;
    std::uint32_t peak_is_reset = 0; ///< 1 if the system forgot the peak of resident memory
    std::uint64_t requests = 0;      ///< of the whole history
    std::uint64_t live_blocks = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t live_pages = 0;   ///< pages that hold live blocks
    std::uint64_t needed_pages = 0; ///< that live blocks would fill
    std::uint64_t median_run =
        0; ///< bytes of the median stretch between live blocks, of those with room for another block
    std::uint64_t resident_before = 0; ///< bytes of the process
    std::uint64_t resident_after = 0;
    std::uint64_t free_chunks = unknown; ///< of glibc's malloc
    std::uint64_t free_bytes = unknown;
    std::uint64_t cpu_ns = 0; ///< of the calling thread
};

/// The resident memory of this process; unknown without /proc.
struct resident_memory {
    std::uint64_t bytes = remains::unknown;
    std::uint64_t file_bytes = remains::unknown; ///< of these, in files and shared memory
};
resident_memory read_resident_memory() noexcept;

/// The free chunks of the C library, if `allocator` is its malloc.
struct free_chunks {
    std::uint64_t count = remains::unknown;
    std::uint64_t bytes = remains::unknown;
};
free_chunks count_free_chunks(const allocator& malloc) noexcept;

/// The memory that the C library's malloc holds, if `allocator` is its malloc.
struct held_memory {
    std::uint64_t bytes = remains::unknown; ///< from the system
    std::uint64_t free_bytes =
        remains::unknown; ///< of these, in free chunks; the caches of threads are not free
};
held_memory count_held_memory(const allocator& malloc) noexcept;

/// Effects: gives the heap of `malloc` the history. With a recording, blocks have its sizes and lifetimes: it is replayed until
/// as many bytes were kept as the model allocates, or `most_replayed` requests were made. A share `kept` of what it frees stays
/// live until it is replaced.
/// Requires: the thread is not cancelled meanwhile.
/// Complexity: peak / 32 * (1 + rounds * replaced) requests without a recording, and an n log n of the blocks that stay.
remains age(const allocator& malloc, const model& figures, const recording* replayed = nullptr) noexcept;

inline constexpr std::uint64_t most_replayed = 20'000'000;

} // namespace mallard::history

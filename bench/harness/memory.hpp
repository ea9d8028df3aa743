/// What memory this process holds, and what it holds needlessly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace bench {

struct held_memory {
    std::int64_t bytes = 0;
    std::int64_t huge_bytes = 0;    ///< the part of it in huge pages
    std::int64_t offered_bytes = 0; ///< not counted: what the system may take at any time, and has not yet
};

/// Returns: the memory that programs get from the system, without files and code, and without what was
/// offered back to it (MADV_FREE); counted page by page, so that the figure is exact. What the system does not tell so is resident_bytes().
/// Complexity: reads the whole page table; for between the timed parts.
[[nodiscard]] held_memory inspect_memory();

/// Effects: has the system forget how much this process held at most so far.
/// Returns: whether it did.
[[nodiscard]] bool forget_peak() noexcept;

/// Returns: what this process held at most, since it was told to forget; 0 where the system does not tell. Files
/// and code count too, as in resident_bytes().
[[nodiscard]] std::int64_t peak_resident_bytes() noexcept;

/// Effects: has all that keeps free memory for the whole process give it back: the library's chunk_cache and
/// the malloc that this process has.
void trim_process() noexcept;

/// Effects: calls `look` in a copy of this process, which ends with it.
/// Returns: what `look` did, or nothing where that took more than `seconds`, or no copy could be made.
[[nodiscard]] std::optional<std::int64_t> look_in_a_copy(unsigned seconds,
                                                         const std::function<std::int64_t()>& look);

} // namespace bench

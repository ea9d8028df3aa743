/// The memory that this process holds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace bench {

struct held_memory {
    std::int64_t bytes = 0;
    std::int64_t huge_bytes = 0;    ///< the part of it in huge pages
    std::int64_t offered_bytes = 0; ///< not counted: freed to the system by MADV_FREE, and not taken yet
};

/// Returns: the anonymous memory of this process, without pages freed by MADV_FREE; resident_bytes() if the
/// system does not tell it.
/// Complexity: reads the whole page table, so it belongs between timed parts.
[[nodiscard]] held_memory inspect_memory();

/// Effects: starts the peak anew from the memory that is held now.
/// Returns: true if the system did so.
[[nodiscard]] bool forget_peak() noexcept;

/// Returns: the most memory that this process has held since forget_peak(), files and code included; 0 if the
/// system does not tell.
[[nodiscard]] std::int64_t peak_resident_bytes() noexcept;

/// Effects: makes the library's chunk_cache and the malloc of this process give their free memory back to the
/// system.
void trim_process() noexcept;

/// Effects: calls `look` in a copy of this process, which then ends.
/// Returns: the result of `look`; nothing if it took more than `seconds`, or no copy could be made.
[[nodiscard]] std::optional<std::int64_t> look_in_a_copy(unsigned seconds,
                                                         const std::function<std::int64_t()>& look);

} // namespace bench

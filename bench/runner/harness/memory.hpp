/// The memory that this process holds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace bench {

struct held_memory {
    std::int64_t bytes = 0;
    std::int64_t huge_bytes = 0;    ///< the part in huge pages
    std::int64_t offered_bytes = 0; ///< not counted: freed to the system by MADV_FREE, and not taken yet
};

/// Returns: the anonymous memory of this process, without pages freed by MADV_FREE; resident_bytes() if the system
/// does not report it.
/// Complexity: reads the entire page table, so it belongs between timed parts.
[[nodiscard]] held_memory inspect_memory();

/// Effects: resets the peak to the memory held at present.
/// Returns: true on success.
[[nodiscard]] bool forget_peak() noexcept;

/// Returns: the peak memory of this process since forget_peak(), including files and code; 0 if the system does not
/// report it.
[[nodiscard]] std::int64_t peak_resident_bytes() noexcept;

/// Effects: makes the library's chunk_cache and the malloc of this process return their free memory to the system.
void trim_process() noexcept;

/// Effects: calls `look` in a forked child, which then ends.
/// Returns: the result of `look`; nothing after `seconds`, or if the process cannot fork.
[[nodiscard]] std::optional<std::int64_t> inspect_in_child(unsigned seconds,
                                                           const std::function<std::int64_t()>& look);

} // namespace bench

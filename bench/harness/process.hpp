/// What this process is and may do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Effects: binds the process to one processor.
/// Returns: whether the system allowed it.
[[nodiscard]] bool pin_to(int cpu) noexcept;

[[nodiscard]] std::int64_t peak_rss_bytes() noexcept;

/// Returns: the memory that this process holds now; 0 where the system does not tell.
[[nodiscard]] std::int64_t resident_bytes();

/// Returns: the load average of the last minute, or a negative number where the system does not tell.
[[nodiscard]] double load_average() noexcept;

/// Returns: bytes that can be used without swapping; SIZE_MAX where the system does not tell.
[[nodiscard]] std::size_t available_memory_bytes();

/// Throws: std::bad_alloc, and says why in `notes`, where `bytes` bytes are more than there is. To try would
/// hurt the machine, and end the same.
void expect_room(std::size_t bytes, std::vector<std::string>& notes);

/// Returns: a fingerprint of the running program, to tell one build from another.
[[nodiscard]] std::string program_fingerprint();

/// Effects: keeps glibc from returning freed pages to the system, by trimming or by unmapping.
/// Returns: whether this C library can be told so.
[[nodiscard]] bool keep_freed_pages() noexcept;

/// Returns: whose malloc this process has: one that was put in front of the C library's is found by a
/// function that only it has.
[[nodiscard]] std::string_view malloc_in_use() noexcept;

/// Whether the build may be measured: optimised, and without sanitizers.
[[nodiscard]] bool build_is_optimised() noexcept;

} // namespace bench

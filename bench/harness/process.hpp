/// What this process is and may do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

/// Effects: binds the process to one processor.
/// Returns: whether the system allowed it.
[[nodiscard]] bool pin_to(int cpu) noexcept;

[[nodiscard]] std::int64_t peak_rss_bytes() noexcept;

/// Returns: the load average of the last minute, or a negative number where the system does not tell.
[[nodiscard]] double load_average() noexcept;

/// Returns: bytes that can be used without swapping; SIZE_MAX where the system does not tell.
[[nodiscard]] std::size_t available_memory_bytes();

/// Returns: a fingerprint of the running program, to tell one build from another.
[[nodiscard]] std::string program_fingerprint();

/// Effects: keeps glibc from returning freed pages to the system, by trimming or by unmapping.
/// Returns: whether this C library can be told so.
[[nodiscard]] bool keep_freed_pages() noexcept;

/// Whether the build may be measured: optimised, and without sanitizers.
[[nodiscard]] bool build_is_optimised() noexcept;

} // namespace bench

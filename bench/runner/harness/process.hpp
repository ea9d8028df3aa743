/// Properties of this process, and its privileges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Effects: binds the process to one processor.
/// Returns: true if the system allowed it.
[[nodiscard]] bool pin_to(int cpu) noexcept;

[[nodiscard]] std::int64_t peak_rss_bytes() noexcept;

/// Returns: the resident memory of this process in bytes; 0 if the system does not report it.
[[nodiscard]] std::int64_t resident_bytes();

/// Returns: the load average of the last minute; a negative number if the system does not report it.
[[nodiscard]] double load_average() noexcept;

/// Returns: the memory that can be used without swapping, in bytes; SIZE_MAX if the system does not report it.
[[nodiscard]] std::size_t available_memory_bytes();

/// Throws: std::bad_alloc, after a note, if the machine has less than `bytes` bytes. An attempt would make it swap,
/// and fail later.
void expect_room(std::size_t bytes, std::vector<std::string>& notes);

/// Returns: a hash of the running program, which identifies a build.
[[nodiscard]] std::string program_fingerprint();

/// Effects: keeps glibc from returning freed pages to the system. Blocks above its largest threshold, 32 MiB, are
/// still mapped and unmapped.
/// Returns: true if this C library has that setting.
[[nodiscard]] bool keep_freed_pages() noexcept;

/// Returns: the name of this process's malloc. A preloaded one is recognised by a function that only it has, or by
/// its file name.
[[nodiscard]] std::string_view malloc_in_use() noexcept;

/// True if the times of this build are meaningful: it is optimised, and has no sanitizers.
[[nodiscard]] bool build_is_optimised() noexcept;

} // namespace bench

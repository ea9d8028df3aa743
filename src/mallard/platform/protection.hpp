/// The protection of memory, and its node, by the system. The files of memory.hpp have namesakes here, so that a program with
/// neither links none of it.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

/// Effects: makes pages readable only, or writable again.
/// Returns: true if the system agreed.
[[nodiscard]] bool set_writable(std::byte* p, std::size_t bytes, bool writable) noexcept;

/// Effects: binds pages that nobody has touched to the memory of a NUMA node.
/// Returns: false, with no effect, if there is no such node, or the system cannot bind.
[[nodiscard]] bool bind_to_node(std::byte* p, std::size_t bytes, unsigned node) noexcept;

/// Returns: the name of the owner of read-only memory at that address; null if it is nobody's.
using owner_of_memory = const char* (*)(const void* address) noexcept;

/// Effects: from now on a write to memory with an owner prints its name, and ends the program as it would have ended
/// without. A second call has no effect.
/// Returns: false if the system does not tell a program of such a write.
[[nodiscard]] bool report_writes_to_read_only(owner_of_memory owner) noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY

/// The memory of the system. One of three files implements it:
///
///     memory_posix.cpp     mmap
///     memory_windows.cpp   VirtualAlloc
///     memory_plain.cpp     operator new: neither addresses without memory nor advice
///
/// Memory begins at a page and consists of whole pages, whose size is asked for at run time: 4, 16 or 64 KiB.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

[[nodiscard]] std::size_t page_bytes() noexcept;

/// Returns: the size of the kernel's huge pages; 0 if it is unknown.
[[nodiscard]] std::size_t huge_page_bytes() noexcept;

/// Returns: true if the system gives huge pages to a process that asks for them.
[[nodiscard]] bool gives_huge_pages() noexcept;

/// Returns: zeroed pages at a multiple of `alignment`; null if there are none.
/// Requires: `alignment` is a power of two, at least a page.
[[nodiscard]] std::byte* map(std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: gives pages back.
/// Requires: they came from map(bytes, alignment).
void unmap(std::byte* p, std::size_t bytes, std::size_t alignment) noexcept;

/// Effects: asks for huge pages.
void request_huge_pages(std::byte* p, std::size_t bytes) noexcept;

/// Effects: touches every page, in one call.
/// Returns: false, with no effect, if the system has no such call.
[[nodiscard]] bool populate(std::byte* p, std::size_t bytes) noexcept;

/// Effects: offers the pages to the system, which takes them only under pressure. Their contents are lost, now or later.
void offer(std::byte* p, std::size_t bytes) noexcept;

/// Effects: gives the memory of pages back at once. They stay usable; their contents are lost.
void discard(std::byte* p, std::size_t bytes) noexcept;

// ---- addresses

/// Returns: addresses without memory; null if there are none.
[[nodiscard]] std::byte* reserve(std::size_t bytes) noexcept;

/// Effects: puts memory behind addresses.
/// Returns: true if the system agreed.
[[nodiscard]] bool commit(std::byte* p, std::size_t bytes) noexcept;

/// Effects: gives the memory behind addresses back.
/// Returns: true if the system agreed.
[[nodiscard]] bool decommit(std::byte* p, std::size_t bytes) noexcept;

/// Effects: gives the end of reserved addresses back.
/// Returns: true if the system agreed.
[[nodiscard]] bool release_end(std::byte* p, std::size_t bytes) noexcept;

/// Effects: gives all addresses of reserve() back.
void release(std::byte* p, std::size_t bytes) noexcept;

// ---- forks

/// Returns: a zeroed page that is zero again in the child of a fork, for `bytes` bytes; null if the system has no such pages.
[[nodiscard]] void* map_wiped_page(std::size_t bytes) noexcept;

void unmap_wiped_page(void* page, std::size_t bytes) noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY

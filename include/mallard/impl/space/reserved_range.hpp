/// A range of addresses of which only the first part has memory, so that its contents can grow.
///
///     [ committed ............. | reserved ......................................... ]
///     ^ begin                   ^ committed_bytes                                    ^ bytes
///
/// Reserved addresses can be neither read nor written, and count in no limit of memory but in that of addresses
/// (ulimit -v). The committed part is like any memory: its pages come when they are touched, huge ones from
/// huge_from_bytes on.
///
/// Bound: a process has at most most_ranges of them at a time, with at most three mappings each. Linux gives a
/// process 65,530 mappings (vm.max_map_count), and at the last one refuses every request, of malloc and for
/// threads' stacks too.
///
/// Thread-safe, apart from calls for one range. A system without mmap has no such ranges: reserve() returns null.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::space::reserved_range { inline namespace MALLARD_LIBRARY {

/// From this many committed bytes on, memory comes in huge pages.
inline constexpr std::size_t huge_from_bytes = std::size_t{1} << 20;

/// At most a fifth of the mappings of a process.
inline constexpr std::size_t most_ranges = 4096;

/// Effects: reserves `bytes` bytes of addresses.
/// Returns: their begin, at a multiple of a page; null if there are none, or most_ranges are reserved.
[[nodiscard]] std::byte* reserve(std::size_t bytes) noexcept;

/// Effects: commits the bytes from `old_bytes` to `new_bytes`, both from rounded().
/// Returns: true if the system agreed; nothing has changed otherwise.
[[nodiscard]] bool commit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: gives the memory from `new_bytes` to `old_bytes` back to the system; its addresses stay reserved.
/// Returns: true if the system agreed.
bool decommit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: gives the addresses from `new_bytes` to `old_bytes`, the end of the range, back.
/// Returns: true if the system agreed.
/// Requires: they are not committed; `new_bytes` is not 0 and comes from rounded(), or is the size of the range.
bool shorten(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: offers the memory of the first `bytes` bytes to the system, which takes it only under pressure. Its
/// contents are lost, now or later. Memory that was not taken costs no fault again.
void offer(std::byte* begin, std::size_t bytes) noexcept;

/// Effects: gives the addresses and their memory back.
void give_back(std::byte* begin, std::size_t bytes) noexcept;

/// Returns: the number of ranges of the process.
[[nodiscard]] std::size_t count() noexcept;

/// Returns: `bytes`, rounded up to a page, or from huge_from_bytes on to the end of a huge page; SIZE_MAX if
/// there is no such number.
[[nodiscard]] std::size_t rounded(const std::byte* begin, std::size_t bytes) noexcept;

}} // namespace mallard::space::reserved_range::MALLARD_LIBRARY

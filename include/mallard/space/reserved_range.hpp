/// A range of addresses of which only the first part has memory, so that what lies in it can grow.
///
///     [ committed ............. | reserved ......................................... ]
///     ^ begin                   ^ committed_bytes                                    ^ bytes
///
/// Addresses cost nothing but themselves: what is only reserved can be neither read nor written and counts in
/// no limit of memory, but in that of addresses (ulimit -v). The committed part is as any memory: its pages come when they are
/// touched, huge ones from huge_from_bytes on.
///
/// Bound: the process has most_ranges of them at a time, and three mappings of each at the most. Linux gives a process
/// 65,530 mappings (vm.max_map_count), and at the last one refuses every request, malloc's and those for threads' stacks
/// included.
///
/// Thread-safe, but for what is done with one range. A system without mmap has no such ranges: reserve() answers null.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::space::reserved_range::inline MALLARD_LIBRARY {

/// From this many committed bytes on, they are counted in huge pages.
inline constexpr std::size_t huge_from_bytes = std::size_t{1} << 20;

/// A fifth of the mappings that a process has, at the most.
inline constexpr std::size_t most_ranges = 4096;

/// Effects: reserves `bytes` bytes of addresses.
/// Returns: where they begin, at a multiple of a page; null if there are none, or most_ranges are reserved.
[[nodiscard]] std::byte* reserve(std::size_t bytes) noexcept;

/// Effects: commits the bytes from `old_bytes` to `new_bytes`, both as rounded() returns them.
/// Returns: whether the system agreed; nothing has changed where it did not.
[[nodiscard]] bool commit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: gives the memory from `new_bytes` to `old_bytes` back to the system; its addresses stay reserved.
/// Returns: whether the system agreed.
bool decommit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: gives the addresses from `new_bytes` to `old_bytes`, the end of the range, back.
/// Returns: whether the system agreed.
/// Requires: they are not committed; `new_bytes` is not 0, and what rounded() or the range has.
bool shorten(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept;

/// Effects: offers the memory of the first `bytes` bytes to the system, which takes it when it has need of it; what is in
/// it is lost, now or later. Memory that it has not taken costs no fault again.
void offer(std::byte* begin, std::size_t bytes) noexcept;

/// Effects: gives the addresses back, and what memory they have.
void give_back(std::byte* begin, std::size_t bytes) noexcept;

/// Returns: how many ranges the process has reserved and not given back.
[[nodiscard]] std::size_t count() noexcept;

/// Returns: `bytes`, up to a whole page, or, from huge_from_bytes on, up to where a huge page ends; SIZE_MAX if
/// there is no such number. Never less than `bytes`.
[[nodiscard]] std::size_t rounded(const std::byte* begin, std::size_t bytes) noexcept;

} // namespace mallard::space::reserved_range::inline MALLARD_LIBRARY

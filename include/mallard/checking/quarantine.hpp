/// The quarantine of a checked allocator: freed blocks wait here before they are used again (adapt/checked.hpp).
///
///     freed last -> [ block | block | ... | block ] -> given back to the mechanism
///                  filled with freed_byte, which is checked when a block leaves
///
/// While a block is in quarantine its address is not reused, so that a second deallocation is recognised, and a
/// write to it is detected. Each allocator has its own quarantine, within both bounds. A block above the bound
/// of bytes does not enter.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

/// The contents of a block in quarantine. As an address it is neither readable nor writable.
inline constexpr std::byte freed_byte{0xDF};

}} // namespace mallard::checking::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

struct quarantine_bounds {
    std::size_t blocks = 1024;
    std::size_t bytes = std::size_t{256} << 10; ///< of the blocks, with their guard zones
};

inline constexpr quarantine_bounds no_quarantine{.blocks = 0, .bytes = 0};

/// Effects: sets the bounds of all allocators of the process without explicit bounds; they adopt these at their
/// next deallocation. Initially the defaults, with the bytes of the environment variable
/// MALLARD_QUARANTINE_BYTES if it holds a whole number.
/// Returns: the previous bounds.
quarantine_bounds set_quarantine(quarantine_bounds bounds) noexcept;

/// Returns: the bounds that were set last.
[[nodiscard]] quarantine_bounds default_quarantine() noexcept;

}} // namespace mallard::MALLARD_LIBRARY

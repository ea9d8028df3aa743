/// How long a checked allocator keeps what was freed from being used again (adapt/checked.hpp).
///
///     freed last -> [ block | block | ... | block ] -> given back to the mechanism
///                   filled with freed_byte, which is looked for when a block leaves
///
/// While a block is in quarantine its address is nobody's, so that a second deallocation of it is known as
/// one, and a write to it is found. Each allocator has a quarantine of its own; it holds no more than either
/// of its bounds says. A block that is larger than the bound does not enter.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard::checking::inline MALLARD_LIBRARY {

/// What a block in quarantine is filled with. No address that anybody could read or write is made of it.
inline constexpr std::byte freed_byte{0xDF};

} // namespace mallard::checking::inline MALLARD_LIBRARY

namespace mallard::inline MALLARD_LIBRARY {

struct quarantine_bounds {
    std::size_t blocks = 1024;
    std::size_t bytes = std::size_t{256} << 10; ///< of the blocks, with their guard zones
};

inline constexpr quarantine_bounds no_quarantine{.blocks = 0, .bytes = 0};

/// Effects: sets the bounds of all allocators of the process that have none of their own; they follow with
/// their next deallocation. At the start they are those above, with the bytes that the environment variable
/// MALLARD_QUARANTINE_BYTES says.
/// Returns: the bounds before.
quarantine_bounds set_quarantine(quarantine_bounds bounds) noexcept;

/// Returns: what was set last.
[[nodiscard]] quarantine_bounds usual_quarantine() noexcept;

} // namespace mallard::inline MALLARD_LIBRARY

/// The return addresses of the calling thread, where the C library has <execinfo.h>: not in musl, Windows or WebAssembly.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <span>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

extern const bool has_call_stacks;

/// The most frames that call_stack() looks at.
inline constexpr std::size_t most_call_frames = 34;

/// Effects: writes return addresses to `room`, the innermost first, but for the `skipped` innermost ones. The first
/// would be the caller's address at this call.
/// Requires: `room` and `skipped` are at most most_call_frames together.
/// Returns: the number of addresses.
/// Complexity: a microsecond or two for a stack that was not seen lately, otherwise one comparison for each frame.
[[nodiscard]] std::size_t call_stack(std::span<void*> room, std::size_t skipped) noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY

/// The return addresses of the calling thread, where the C library has <execinfo.h>: not in musl, Windows or WebAssembly.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <span>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

extern const bool has_call_stacks;

/// Returns: the number of addresses written to `room`, the innermost first. The first is that of the caller.
[[nodiscard]] std::size_t call_stack(std::span<void*> room) noexcept;

}} // namespace mallard::platform::MALLARD_LIBRARY

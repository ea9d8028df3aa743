/// The stack of the thread's signal handlers (sigaltstack), if it is small.
///
/// Many programs have one of a few KiB, most of which the kernel uses for the registers of the interrupted function. An
/// event may need more than the remaining bytes, and the handler would hit the guard page.
#pragma once

#include "recorder/system/byte_cursor.hpp"

#include <cstddef>

namespace mallard::recorder {

struct alternate_stack {
    unwind::address begin = 0;
    std::size_t bytes = 0; ///< 0 if there is none, or a large one
};

inline constinit thread_local alternate_stack small_alternate_stack [[gnu::tls_model("initial-exec")]]{};

/// Returns: true if the thread has a small alternate stack.
[[nodiscard]] inline bool has_small_stack() noexcept {
    return small_alternate_stack.bytes != 0;
}

/// Returns: true if the caller runs on that stack, and it has too little room for an event.
[[nodiscard, gnu::always_inline]] inline bool lacks_stack() noexcept {
    constexpr std::size_t event_bytes = 2560; // 1.5 KiB with new code, and 1 KiB for the allocator
    const std::size_t remaining =
        reinterpret_cast<unwind::address>(__builtin_frame_address(0)) - small_alternate_stack.begin;
    return remaining < small_alternate_stack.bytes && remaining < event_bytes;
}

} // namespace mallard::recorder

/// The stack on which the thread's signal handlers run (sigaltstack), if it is a small one.
///
/// Many programs have one of a few KiB, of which the kernel takes most for the registers of the interrupted function. What
/// an event needs may be more than what is left, and the handler would end in the guard page.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"

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

/// Returns: true if the caller runs on that stack, and there is not enough left of it for an event.
[[nodiscard, gnu::always_inline]] inline bool lacks_stack() noexcept {
    constexpr std::size_t bytes_of_event = 2560; // 1.5 KiB with new code, and 1 KiB for the allocator
    const std::size_t left =
        reinterpret_cast<unwind::address>(__builtin_frame_address(0)) - small_alternate_stack.begin;
    return left < small_alternate_stack.bytes && left < bytes_of_event;
}

} // namespace mallard::recorder

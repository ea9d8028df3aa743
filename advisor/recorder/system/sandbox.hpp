/// Whether the process has restricted its system calls (seccomp).
///
/// A filter may end the process for a system call that only the recorder makes. So the recorder makes none afterwards: it
/// acquires its memory beforehand (interpose/sandbox.cpp), and skips what needs a call.
#pragma once

#include <atomic>

namespace mallard::recorder {

inline constinit std::atomic<bool> sandboxed{false};

[[nodiscard]] inline bool in_sandbox() noexcept {
    return sandboxed.load(std::memory_order_relaxed);
}

} // namespace mallard::recorder

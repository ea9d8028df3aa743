/// Whether the process has restricted its system calls (seccomp).
///
/// A filter may end the process for a call that only the recorder makes. So the recorder makes none from then on: it takes what it
/// needs before (interpose/sandbox.cpp), and leaves out what it cannot do without one.
#pragma once

#include <atomic>

namespace mallard::recorder {

inline constinit std::atomic<bool> sandboxed{false};

[[nodiscard]] inline bool in_sandbox() noexcept {
    return sandboxed.load(std::memory_order_relaxed);
}

} // namespace mallard::recorder

/// What keeps the optimiser from removing the work that is measured.
#pragma once

namespace bench {

/// The object at `p` may be read and written by somebody the compiler cannot see.
inline void escape(const void* p) noexcept {
    asm volatile("" : : "g"(p) : "memory");
}

/// Returns: `p`, of which the compiler no longer knows where it came from, so that a call through it stays a
/// call.
template <class T>
[[nodiscard]] T* opaque(T* p) noexcept {
    asm volatile("" : "+r"(p));
    return p;
}

} // namespace bench

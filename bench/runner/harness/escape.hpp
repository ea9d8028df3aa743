/// Barriers that keep the optimiser from removing measured work.
#pragma once

namespace bench {

/// Effects: makes the compiler assume that unknown code reads and writes the object at `p`.
inline void escape(const void* p) noexcept {
    asm volatile("" : : "g"(p) : "memory");
}

/// Returns: `p`, whose origin the compiler has forgotten, so that a virtual call through it is not made direct.
template <class T>
[[nodiscard]] T* opaque(T* p) noexcept {
    asm volatile("" : "+r"(p));
    return p;
}

} // namespace bench

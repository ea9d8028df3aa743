/// AddressSanitizer's view of memory that an allocator manages: what is not allocated is poisoned, so that a
/// read after a deallocation or past a block is reported where it happens. Without the sanitizer all of this
/// is empty.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

#ifdef MALLARD_ASAN
#include <sanitizer/asan_interface.h>
/// Before a function that reads or writes what the allocator itself keeps in poisoned memory.
#ifdef __clang__
#define MALLARD_READS_POISONED [[gnu::no_sanitize_address]]
#else
// Optimising, g++ lets callers read what such a function would: they are not exempt.
#define MALLARD_READS_POISONED [[gnu::no_sanitize_address, gnu::noipa]]
#endif
#else
#define MALLARD_READS_POISONED
#endif

namespace mallard::core::inline MALLARD_LIBRARY {

#ifdef MALLARD_ASAN
inline constexpr bool poisons_memory = true;
#else
inline constexpr bool poisons_memory = false;
#endif

#if defined(MALLARD_ASAN) && defined(__GNUC__) && !defined(__clang__)
// g++ takes the marking of a buffer for a read of what the buffer's owner has not initialised yet.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// Effects: marks [p, p + bytes) as memory that nobody may touch.
inline void poison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __asan_poison_memory_region(p, bytes);
#endif
}

/// Effects: marks [p, p + bytes) as usable.
inline void unpoison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __asan_unpoison_memory_region(p, bytes);
#endif
}

#if defined(MALLARD_ASAN) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Effects: lets the sanitizer report `p` here where nobody may touch it: a block that is deallocated twice.
inline void expect_usable([[maybe_unused]] const void* p) noexcept {
#ifdef MALLARD_ASAN
    static_cast<void>(*static_cast<const volatile char*>(p));
#endif
}

} // namespace mallard::core::inline MALLARD_LIBRARY

/// AddressSanitizer's view of an allocator's memory: memory that is not allocated is poisoned, so that each use
/// after a deallocation or past a block is reported at once. Without the sanitizer these functions are empty.
///
/// In a build for valgrind (MALLARD_VALGRIND, core/build_mode.hpp) they tell memcheck the same. Memory that is not poisoned
/// counts as initialised, as for AddressSanitizer.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

#ifdef MALLARD_ASAN
#include <sanitizer/asan_interface.h>
/// In front of a function that accesses the allocator's own data in poisoned memory. It is inlined by force elsewhere,
/// because it stands on every fast path.
#ifdef __clang__
#define MALLARD_READS_POISONED [[gnu::no_sanitize_address]]
#else
// g++ moves such reads into callers, which are not exempt, unless it may not look into the function.
#define MALLARD_READS_POISONED [[gnu::no_sanitize_address, gnu::noipa]]
#endif
#else
#define MALLARD_READS_POISONED [[gnu::always_inline]]
#endif
#ifdef MALLARD_MEMCHECK
#include <valgrind/memcheck.h>
#endif

namespace mallard::core { inline namespace MALLARD_LIBRARY {

#if defined(MALLARD_ASAN) || defined(MALLARD_MEMCHECK)
inline constexpr bool poisons_memory = true;
#else
inline constexpr bool poisons_memory = false;
#endif

#if defined(MALLARD_ASAN) && defined(__GNUC__) && !defined(__clang__)
// g++ takes the marking of a buffer for a read of bytes that are not initialised yet.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// Effects: marks [p, p + bytes) as memory that must not be accessed.
inline void poison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __asan_poison_memory_region(p, bytes);
#elif defined(MALLARD_MEMCHECK)
    static_cast<void>(VALGRIND_MAKE_MEM_NOACCESS(p, bytes));
#endif
}

/// Effects: marks [p, p + bytes) as usable.
inline void unpoison([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __asan_unpoison_memory_region(p, bytes);
#elif defined(MALLARD_MEMCHECK)
    static_cast<void>(VALGRIND_MAKE_MEM_DEFINED(p, bytes));
#endif
}

#if defined(MALLARD_ASAN) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Effects: lets the sanitizer report here if `p` must not be accessed: a block that is deallocated twice.
inline void expect_usable([[maybe_unused]] const void* p) noexcept {
#ifdef MALLARD_ASAN
    static_cast<void>(*static_cast<const volatile char*>(p));
#elif defined(MALLARD_MEMCHECK)
    static_cast<void>(
        VALGRIND_CHECK_MEM_IS_ADDRESSABLE(p, 1)); // it leaves out a read whose result is not used
#endif
}

/// While one lives, memcheck does not report this thread's accesses to poisoned memory: of functions that are
/// MALLARD_READS_POISONED.
class [[maybe_unused]] poisoned_access {
public:
#ifdef MALLARD_MEMCHECK
    [[gnu::always_inline]] poisoned_access() noexcept { VALGRIND_DISABLE_ERROR_REPORTING; }
    [[gnu::always_inline]] ~poisoned_access() { VALGRIND_ENABLE_ERROR_REPORTING; }
    poisoned_access(const poisoned_access&) = delete;
    poisoned_access& operator=(const poisoned_access&) = delete;
#endif
};

}} // namespace mallard::core::MALLARD_LIBRARY

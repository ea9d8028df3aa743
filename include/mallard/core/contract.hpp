/// Checks of a function's requirements. They cost nothing if NDEBUG is defined.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Effects: aborts with a message.
[[noreturn]] void contract_broken(const char* condition, const char* file, int line) noexcept;

#ifdef __GNUC__
/// Effects: none, but the compiler warns of a call.
[[gnu::noinline, gnu::warning("mallard: a negative number is passed as a size")]] inline void
warn_of_negative_size() noexcept {
    MALLARD_KEEP();
}
#endif

/// Effects: has an optimising compiler warn if `size` is a constant above PTRDIFF_MAX: nearly always a negative number, which is
/// converted without a word.
// NOLINTNEXTLINE(readability-redundant-inline-specifier): clang++ wants it for `artificial`
[[gnu::always_inline, gnu::artificial]] constexpr inline void
warn_if_negative([[maybe_unused]] std::size_t size) noexcept {
#ifdef __GNUC__
    if (__builtin_constant_p(size) && size > static_cast<std::size_t>(PTRDIFF_MAX)) {
        warn_of_negative_size();
    }
#endif
}

}} // namespace mallard::core::MALLARD_LIBRARY

#ifdef NDEBUG
#define MALLARD_EXPECTS(condition) static_cast<void>(0)
#else
#define MALLARD_EXPECTS(condition)                                                                           \
    ((condition) ? static_cast<void>(0) : ::mallard::core::contract_broken(#condition, __FILE__, __LINE__))
#endif

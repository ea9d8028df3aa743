/// Checks of a function's requirements. They cost nothing if NDEBUG is defined.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>

#include <cstdio>
#include <cstdlib>

namespace mallard::core::inline MALLARD_LIBRARY {

[[noreturn]] inline void contract_broken(const char* condition, const char* file, int line) noexcept {
    const cancellation_disabled until_the_end;
    std::fprintf(stderr, "%s:%d: mallard: a caller broke the contract: %s\n", file, line, condition);
    std::abort();
}

} // namespace mallard::core::inline MALLARD_LIBRARY

#ifdef NDEBUG
#define MALLARD_EXPECTS(condition) static_cast<void>(0)
#else
#define MALLARD_EXPECTS(condition)                                                                           \
    ((condition) ? static_cast<void>(0) : ::mallard::core::contract_broken(#condition, __FILE__, __LINE__))
#endif

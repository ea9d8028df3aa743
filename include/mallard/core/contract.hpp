/// Checks of a function's requirements. They cost nothing if NDEBUG is defined.
#pragma once

#include <mallard/core/build_mode.hpp>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Effects: aborts with a message.
[[noreturn]] void contract_broken(const char* condition, const char* file, int line) noexcept;

}} // namespace mallard::core::MALLARD_LIBRARY

#ifdef NDEBUG
#define MALLARD_EXPECTS(condition) static_cast<void>(0)
#else
#define MALLARD_EXPECTS(condition)                                                                           \
    ((condition) ? static_cast<void>(0) : ::mallard::core::contract_broken(#condition, __FILE__, __LINE__))
#endif

#include "call_stack.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#include <algorithm>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

#if __has_include(<execinfo.h>)
const bool has_call_stacks = true;

// Not a function that it is inlined into: callers count the frames.
[[gnu::noinline]] std::size_t call_stack(std::span<void*> room) noexcept {
    const int count = backtrace(room.data(), static_cast<int>(room.size()));
    return static_cast<std::size_t>(std::max(count, 0));
}
#else
const bool has_call_stacks = false;

std::size_t call_stack(std::span<void*>) noexcept {
    return 0;
}
#endif

}} // namespace mallard::platform::MALLARD_LIBRARY

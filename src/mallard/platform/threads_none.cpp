#include "threads.hpp"

#include <mallard/core/cancellation.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#include <cstdint>

namespace mallard::core::inline MALLARD_LIBRARY {

cancellation_disabled::cancellation_disabled() noexcept = default;
// NOLINTNEXTLINE(modernize-use-equals-default): on other systems it does something
cancellation_disabled::~cancellation_disabled() {}

} // namespace mallard::core::inline MALLARD_LIBRARY

namespace mallard::threads::inline MALLARD_LIBRARY {

std::uintptr_t thread_identity() noexcept {
    return 1;
}

} // namespace mallard::threads::inline MALLARD_LIBRARY

namespace mallard::platform::inline MALLARD_LIBRARY {

long this_process() noexcept {
    return 1;
}

long this_thread() noexcept {
    return 1;
}

bool has_ended(long, long) noexcept {
    return false;
}

void yield() noexcept {}

void call_at_fork(void (*)() noexcept, void (*)() noexcept, void (*)() noexcept) noexcept {}

void call_at_thread_end(void (*)() noexcept) noexcept {}

void expect_thread_end() noexcept {}

void end_calls_at_thread_end() noexcept {}

} // namespace mallard::platform::inline MALLARD_LIBRARY

#include "no_cancellation.hpp"
#include "threads.hpp"

#include <mallard/impl/threads/fork_mutex.hpp>

#include <cstdint>

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

std::uintptr_t thread_identity() noexcept {
    return 1;
}

}} // namespace mallard::threads::MALLARD_LIBRARY

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

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

}} // namespace mallard::platform::MALLARD_LIBRARY

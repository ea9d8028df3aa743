/// A thread whose signal handlers run on a small stack.

#include "recorder/interpose/interposed.hpp"
#include "recorder/system/thread.hpp"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

using namespace mallard::recorder;

namespace {

// For the handler and an event, in addition to the registers that the kernel stores.
constexpr std::size_t enough_bytes = 4096;

bool is_small(const stack_t& stack) noexcept {
    const std::size_t stored = ::getauxval(AT_MINSIGSTKSZ);
    return (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size < stored + enough_bytes;
}

} // namespace

MALLARD_INTERPOSED int sigaltstack(const stack_t* stack, stack_t* previous) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_sigaltstack, stack, previous));
    if (result == 0 && stack != nullptr && (is_small(*stack) || has_small_stack())) {
        small_alternate_stack = {reinterpret_cast<unwind::address>(stack->ss_sp),
                                 is_small(*stack) ? stack->ss_size : 0};
        watch_stack();
    }
    return result;
}

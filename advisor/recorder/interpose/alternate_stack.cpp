/// A thread whose signal handlers run on a small stack.

#include "recorder/interpose/interposed.hpp"
#include "recorder/system/thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

using namespace mallard::recorder;

MALLARD_INTERPOSED int sigaltstack(const stack_t* stack, stack_t* previous) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_sigaltstack, stack, previous));
    if (result == 0 && stack != nullptr && (is_small(*stack) || has_small_stack())) {
        small_alternate_stack = {reinterpret_cast<unwind::address>(stack->ss_sp),
                                 is_small(*stack) ? stack->ss_size : 0};
        watch_stack();
    }
    return result;
}

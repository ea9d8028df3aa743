/// A process that restricts its system calls, by prctl or by syscall. libseccomp uses these two as well.
///
/// `syscall` is written in assembler, because it may return in a child that has another stack, or shares this one: it has no frame.

#include MALLARD_EVENT_HEADER
#include "recorder/system/sandbox.hpp"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>

using namespace mallard::recorder;

namespace {

struct arguments {
    long first, second, third, fourth, fifth, sixth;
};

/// Returns: what the kernel returns; an error is negative.
long call_kernel(long number, const arguments& given) noexcept {
    register long fourth asm("r10") = given.fourth;
    register long fifth asm("r8") = given.fifth;
    register long sixth asm("r9") = given.sixth;
    long result = number;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(given.first), "S"(given.second), "d"(given.third), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

bool restricts(long number, const arguments& given) noexcept {
    return number == SYS_prctl
               ? given.first == PR_SET_SECCOMP
               : given.first == SECCOMP_SET_MODE_STRICT || given.first == SECCOMP_SET_MODE_FILTER;
}

} // namespace

extern "C" {

__attribute__((visibility("hidden"))) long mallard_failed_call(long error) {
    errno = static_cast<int>(-error);
    return -1;
}

/// SYS_prctl and SYS_seccomp.
__attribute__((visibility("hidden"))) long mallard_restricting_call(long number, long first, long second,
                                                                    long third, long fourth, long fifth,
                                                                    long sixth) {
    const arguments given{first, second, third, fourth, fifth, sixth};
    bool is_first = false;
    if (restricts(number, given)) {
        event::prepare_for_sandbox();
        // Other threads may be restricted by the same call.
        is_first = !sandboxed.exchange(true);
    }
    const long result = call_kernel(number, given);
    if (result < 0 && is_first) {
        sandboxed.store(false);
    }
    return result < 0 ? mallard_failed_call(result) : result;
}
}

static_assert(SYS_prctl == 157 && SYS_seccomp == 317);
asm(R"(
    .text
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    endbr64
    cmpl $157, %edi
    je mallard_restricting_call
    cmpl $317, %edi
    je mallard_restricting_call
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    cmpq $-4095, %rax
    jae 1f
    ret
1:
    movq %rax, %rdi
    jmp mallard_failed_call
    .cfi_endproc
    .size syscall, .-syscall
)");

MALLARD_INTERPOSED int prctl(int operation, ...) noexcept {
    std::va_list rest;
    va_start(rest, operation);
    const long second = va_arg(rest, long);
    const long third = va_arg(rest, long);
    const long fourth = va_arg(rest, long);
    const long fifth = va_arg(rest, long);
    va_end(rest);
    return static_cast<int>(mallard_restricting_call(SYS_prctl, operation, second, third, fourth, fifth, 0));
}

/// A process that restricts its system calls, by prctl or by syscall. libseccomp uses these two as well.
///
/// `syscall` is written in assembly, because it may return in a child with another stack, or sharing this one: it has no frame.

#include "recorder/system/sandbox.hpp"

#include "recorder/interpose/interposed.hpp"

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

/// Returns: the kernel's result; negative for an error.
long call_kernel(long number, const arguments& values) noexcept {
    return arch::call_kernel(number, values.first, values.second, values.third, values.fourth, values.fifth,
                             values.sixth);
}

bool restricts(long number, const arguments& values) noexcept {
    return number == SYS_prctl
               ? values.first == PR_SET_SECCOMP
               : values.first == SECCOMP_SET_MODE_STRICT || values.first == SECCOMP_SET_MODE_FILTER;
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
    const arguments values{first, second, third, fourth, fifth, sixth};
    bool is_first = false;
    if (restricts(number, values)) {
        prepare_for_sandbox();
        // The same call may restrict other threads.
        is_first = !sandboxed.exchange(true);
    }
    const long result = call_kernel(number, values);
    if (result < 0 && is_first) {
        sandboxed.store(false);
    }
    return result < 0 ? mallard_failed_call(result) : result;
}
}

#if defined(__x86_64__)
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
#elif defined(__aarch64__)
static_assert(SYS_prctl == 167 && SYS_seccomp == 277);
asm(R"(
    .text
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    hint #34
    cmp w0, #167
    b.eq mallard_restricting_call
    cmp w0, #277
    b.eq mallard_restricting_call
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    mov x4, x5
    mov x5, x6
    svc #0
    cmn x0, #4095
    b.cs 1f
    ret
1:
    b mallard_failed_call
    .cfi_endproc
    .size syscall, .-syscall
)");
#endif

MALLARD_INTERPOSED int prctl(int operation, ...) noexcept {
    std::va_list list;
    va_start(list, operation);
    const long second = va_arg(list, long);
    const long third = va_arg(list, long);
    const long fourth = va_arg(list, long);
    const long fifth = va_arg(list, long);
    va_end(list);
    return static_cast<int>(mallard_restricting_call(SYS_prctl, operation, second, third, fourth, fifth, 0));
}

/// Stacks that a program makes by itself, without libc.
#pragma once

#include <cstddef>

// void switch_stacks(void** from, void* to): saves the registers on the stack that it leaves, as Boost.Context does.
extern "C" void switch_stacks(void** from, void* to);

#if defined(__x86_64__)
asm(R"(
    .text
    .type switch_stacks, @function
switch_stacks:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size switch_stacks, . - switch_stacks
)");
// For assembly: an instruction that traps, and the description of a function with a frame of that size.
#define TRAP "ud2\n"
#define FRAME_OF(bytes) ".cfi_def_cfa_offset " #bytes "\n"
#elif defined(__aarch64__)
asm(R"(
    .text
    .type switch_stacks, @function
switch_stacks:
    sub sp, sp, #176
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    str x30, [sp, #160]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldr x9, [sp, #160]
    add sp, sp, #176
    ret x9
    .size switch_stacks, . - switch_stacks
)");
#define TRAP "udf #0\n"
#define FRAME_OF(bytes) ".cfi_def_cfa_offset " #bytes "\n.cfi_offset 30, -8\n"
#endif

/// Returns: what switch_stacks continues from: `run` begins on the stack that ends at `top`, as if called from `outside`.
inline void* new_stack(const void** top, void (*run)(), const void* outside) {
#if defined(__x86_64__)
    top[-1] = outside;
    top[-2] = reinterpret_cast<const void*>(run);
    return top - 8; // six registers more
#elif defined(__aarch64__)
    top[-2] = reinterpret_cast<const void*>(run);
    top[-11] = outside; // x30
    return top - 22;
#endif
}

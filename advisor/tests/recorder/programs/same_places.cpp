// Two libraries are compiled from this file. Their code has the same addresses in both, but different frames: FRAME is 24 or 104.
// In the larger frame a zero is where the smaller one has the return address, which would end a stack.

#define STRINGIZE(number) #number
#define TEXT(number) STRINGIZE(number)

#if defined(__x86_64__)
#define ENTER "sub $" TEXT(FRAME) ", %rsp\n .cfi_def_cfa_offset " TEXT(FRAME) " + 8\n"
#define CALL                                                                                                 \
    "movq $0, " TEXT(                                                                                        \
        FRAME) " / 4 - 2(%rsp)\n mov $64, %edi\n call malloc@PLT\n mov %rax, %rdi\n call free@PLT\n"
#define LEAVE "add $" TEXT(FRAME) ", %rsp\n .cfi_def_cfa_offset 8\n ret\n"
#elif defined(__aarch64__)
#define ENTER                                                                                                \
    "sub sp, sp, #" TEXT(FRAME) " + 8\n .cfi_def_cfa_offset " TEXT(                                          \
        FRAME) " + 8\n"                                                                                      \
               "str x30, [sp, #" TEXT(FRAME) "]\n .cfi_offset 30, -8\n"
#define CALL "stur xzr, [sp, #" TEXT(FRAME) " / 4 - 2]\n mov x0, #64\n bl malloc\n bl free\n"
#define LEAVE                                                                                                \
    "ldr x30, [sp, #" TEXT(FRAME) "]\n add sp, sp, #" TEXT(                                                  \
        FRAME) " + 8\n"                                                                                      \
               ".cfi_restore 30\n .cfi_def_cfa_offset 0\n ret\n"
#endif

asm(".text\n .globl go\n .type go, @function\n"
    "go:\n .cfi_startproc\n" ENTER CALL LEAVE ".cfi_endproc\n .size go, . - go\n"
    ".section .note.GNU-stack, \"\", @progbits\n");

// Two libraries are compiled from this file. Their code has the same addresses in both, but different frames: FRAME is 24 or 104.
// In the larger frame a zero is where the smaller one has the return address, which would end a stack.

#define STRINGIZE(number) #number
#define TEXT(number) STRINGIZE(number)

asm(".text\n"
    ".globl go\n"
    ".type go, @function\n"
    "go:\n"
    "    .cfi_startproc\n"
    "    sub $" TEXT(FRAME) ", %rsp\n"
                            "    .cfi_def_cfa_offset " TEXT(
                                FRAME) " + 8\n"
                                       "    movq $0, " TEXT(
                                           FRAME) " / 4 - 2(%rsp)\n"
                                                  "    mov $64, %edi\n"
                                                  "    call malloc@PLT\n"
                                                  "    mov %rax, %rdi\n"
                                                  "    call free@PLT\n"
                                                  "    add $" TEXT(
                                                      FRAME) ", %rsp\n"
                                                             "    .cfi_def_cfa_offset 8\n"
                                                             "    ret\n"
                                                             "    .cfi_endproc\n"
                                                             ".size go, . - go\n"
                                                             ".section .note.GNU-stack, \"\", @progbits\n");

# Sixty descriptions in DWARF 4, each of which is the child of the one before, and its sibling too: a reader that believes
# both comes to the last one 2^59 times.
        .text
        .globl  endless
        .type   endless, @function
endless: ret
        .size   endless, .-endless

        .section .debug_abbrev,"",@progbits
        .uleb128 1              # a compilation unit, with children: low_pc, high_pc
        .uleb128 0x11
        .byte   1
        .uleb128 0x11, 0x01
        .uleb128 0x12, 0x07
        .uleb128 0, 0
        .uleb128 2              # a function: sibling, name, low_pc, high_pc
        .uleb128 0x2e
        .byte   1
        .uleb128 0x01, 0x13
        .uleb128 0x03, 0x08
        .uleb128 0x11, 0x01
        .uleb128 0x12, 0x07
        .uleb128 0, 0
        .byte   0

        .section .debug_info,"",@progbits
unit:   .long   end - version
version: .value 4
        .long   .debug_abbrev
        .byte   8
        .uleb128 1
        .quad   endless
        .quad   1
        .rept   60
        .uleb128 2
        .long   1f - unit
        .string "endless"
        .quad   endless
        .quad   1
1:
        .endr
        .byte   0
end:

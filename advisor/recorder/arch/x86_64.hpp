/// x86-64: a call pushes the return address, so the word below the canonical frame address has it.
#pragma once

#include <x86intrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mallard::recorder::arch {

inline constexpr std::string_view glibc_loader = "ld-linux-x86-64.so.2";

// The registers of a frame, by their DWARF numbers.
inline constexpr unsigned frame_pointer = 6;
inline constexpr unsigned stack_pointer = 7;
inline constexpr unsigned program_counter = 16;
inline constexpr unsigned return_column = program_counter; ///< the column of rows that has the return address
inline constexpr unsigned register_count = 17;
using register_set = std::uint32_t; ///< a bit for each register

/// The bytes of stack that an event may need.
inline constexpr std::size_t event_bytes = 2560; // 1.5 KiB with new code, and 1 KiB for the allocator

/// Returns: the code address in a word of the stack.
[[gnu::always_inline]] constexpr std::uint64_t code_address(std::uint64_t word) noexcept {
    return word;
}

inline constexpr unsigned address_bits = 47; ///< of code

/// Returns: the code address as a trace has it, in 47 bits.
constexpr std::uint64_t address_in_trace(std::uint64_t code) noexcept {
    return code;
}

/// The location of a frame's return address: its slot.
struct return_location {
    constexpr return_location() noexcept = default;
    constexpr explicit return_location(std::uint64_t) noexcept {}
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static): on another processor it is none
    [[nodiscard]] constexpr std::uint64_t at(std::uint64_t slot) const noexcept { return slot; }
};

/// Returns: the slot of the caller, whose return address was read at `location`.
constexpr std::uint64_t slot_of_return(std::uint64_t location,
                                       std::uint64_t /*canonical_frame_address*/) noexcept {
    return location;
}

// The call of an interposed function, which has a frame pointer.

using call_frame = const void*;
#define MALLARD_FRAME __builtin_frame_address(0)

/// Returns: the caller's frame pointer, and behind it the return address.
[[gnu::always_inline]] inline const std::uint64_t* frame_record(call_frame frame) noexcept {
    return static_cast<const std::uint64_t*>(frame);
}
[[gnu::always_inline]] inline std::uint64_t frame_slot(call_frame frame) noexcept {
    return reinterpret_cast<std::uint64_t>(frame_record(frame) + 1);
}

/// The operands of a simple unwind rule: the canonical frame address is a register plus `frame_offset`; the caller's frame pointer
/// and the return address were saved below it.
///
///     | 3 bits of the rule | frame / 8, 17 bits | saved rbp / 8, 12 bits |
class rule_operands {
public:
    static constexpr bool fit(std::int64_t frame_offset, std::int64_t frame_pointer_below,
                              std::int64_t return_below) noexcept {
        return return_below == 8 && frame_offset > 0 && frame_offset < std::int64_t{1} << 20 &&
               frame_offset % 8 == 0 && frame_pointer_below >= 0 &&
               frame_pointer_below < std::int64_t{1} << 15 && frame_pointer_below % 8 == 0;
    }
    static constexpr std::uint32_t encode(std::int64_t frame_offset, std::int64_t frame_pointer_below,
                                          std::int64_t) noexcept {
        return static_cast<std::uint32_t>(frame_offset / 8) << 3 |
               static_cast<std::uint32_t>(frame_pointer_below / 8) << 20;
    }
    static constexpr std::uint64_t frame_offset(std::uint32_t bits) noexcept {
        return (bits >> 3 & 0x1ffffU) * std::uint64_t{8};
    }
    static constexpr std::uint64_t frame_pointer_below(std::uint32_t bits) noexcept {
        return (bits >> 20) * std::uint64_t{8};
    }
    static constexpr std::uint64_t return_below(std::uint32_t) noexcept { return 8; }
};

// The standard frame of a function with a frame pointer: the return address, and below it the caller's rbp.
inline constexpr std::int64_t standard_frame_bytes = 16;
inline constexpr std::int64_t standard_return_below = 8;

// Machine code.

inline constexpr std::size_t longest_call = 7;

/// Returns: true if the bytes before `key` are an instruction that calls.
///
///     e8 and 4 bytes             call to a constant distance
///     ff, operand, 0 to 5 bytes  call of a register, or of an address in memory; bits 3 to 5 of the operand are 2
inline bool follows_call(const std::uint8_t* key) noexcept {
    if (key[-5] == 0xe8) {
        return true;
    }
    for (std::ptrdiff_t length = 2; length <= 7; ++length) {
        if (key[-length] != 0xff) {
            continue;
        }
        const unsigned operand = key[1 - length];
        const unsigned mode = operand >> 6;
        const unsigned base = operand & 7U;
        const bool has_index = mode != 3 && base == 4;
        const bool has_distance =
            mode == 2 || (mode == 0 && (base == 5 || (has_index && (key[2 - length] & 7) == 5)));
        const std::ptrdiff_t expected = 2 + (has_index ? 1 : 0) + (has_distance ? 4 : mode == 1 ? 1 : 0);
        if ((operand >> 3 & 7U) == 2 && length == expected) {
            return true;
        }
    }
    return false;
}

inline constexpr int any_byte = -1;
/// The code behind a call in `__do_global_dtors_aux`, which runs the destructors of a file's static objects.
/// gcc's crtstuff.c compiles it without unwind information. It has a standard frame with rbp.
///
///     e8 .. .. .. ..          call deregister_tm_clones
///     c6 05 .. .. .. .. 01    movb $1, completed(%rip)
///     5d c3                   pop %rbp; ret
inline constexpr std::array undescribed_destructors{0xe8,     any_byte, any_byte, any_byte, any_byte,
                                                    0xc6,     0x05,     any_byte, any_byte, any_byte,
                                                    any_byte, 0x01,     0x5d,     0xc3};

/// The signal trampoline has a description.
struct signal_frame {
    static constexpr std::size_t code_bytes = 0;
    static constexpr bool is_trampoline(const std::uint8_t*) noexcept { return false; }
    /// From the stack pointer to the interrupted registers, by their DWARF numbers.
    static constexpr std::size_t registers_offset = 0;
};

/// The registers that a function keeps for its caller, and its own stack pointer and program counter.
struct kept_registers {
    static constexpr std::array<unsigned, 8> numbers{3,  frame_pointer,  stack_pointer, 12, 13, 14,
                                                     15, program_counter};
    std::array<std::uint64_t, numbers.size()> values;

    [[gnu::always_inline]] void capture() noexcept {
        asm volatile("movq %%rbx, 0(%0)\n\t"
                     "movq %%rbp, 8(%0)\n\t"
                     "movq %%rsp, 16(%0)\n\t"
                     "movq %%r12, 24(%0)\n\t"
                     "movq %%r13, 32(%0)\n\t"
                     "movq %%r14, 40(%0)\n\t"
                     "movq %%r15, 48(%0)\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, 56(%0)"
                     :
                     : "r"(values.data())
                     : "rax", "memory");
    }
};

/// An instruction of rows that only says how return addresses are signed.
constexpr bool is_signing_instruction(std::uint8_t) noexcept {
    return false;
}

// The processor.

/// Returns: ticks of the processor's counter, which is synchronised between cores, and continues in sleep.
inline std::uint64_t time_stamp() noexcept {
    return __rdtsc();
}

/// Returns: the time stamp after all earlier instructions. A plain one may be read while the program still computes what a call
/// needs, or before the call has ended.
inline std::uint64_t ordered_time_stamp() noexcept {
    _mm_lfence();
    return __rdtsc();
}

inline void pause() noexcept {
    __builtin_ia32_pause();
}

/// Returns: the kernel's result; negative for an error.
inline long call_kernel(long number, long first, long second, long third, long fourth, long fifth,
                        long sixth) noexcept {
    // NOLINTBEGIN(misc-const-correctness): the operands of an asm statement, which writes `result`
    register long r10 asm("r10") = fourth;
    register long r8 asm("r8") = fifth;
    register long r9 asm("r9") = sixth;
    long result = number;
    // NOLINTEND(misc-const-correctness)
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

} // namespace mallard::recorder::arch

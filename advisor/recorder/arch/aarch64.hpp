/// aarch64: a call leaves the return address in x30, and the called function saves it anywhere in its frame.
///
/// A return address may be signed: pointer authentication uses the upper bits of the saved word.
/// Source: Procedure Call Standard for the Arm 64-bit Architecture; DWARF for the Arm 64-bit Architecture.
#pragma once

#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mallard::recorder::arch {

inline constexpr std::string_view glibc_loader = "ld-linux-aarch64.so.1";

// The registers of a frame: x0 to x30 and the stack pointer by their DWARF numbers, and the program counter, which is x30 of
// the called function, or that of an interrupted one.
inline constexpr unsigned frame_pointer = 29;
inline constexpr unsigned stack_pointer = 31;
inline constexpr unsigned program_counter = 32;
inline constexpr unsigned return_column = 30; ///< the column of rows that has the return address
inline constexpr unsigned register_count = 33;
using register_set = std::uint64_t; ///< a bit for each register

/// The bytes of stack that an event may need.
inline constexpr std::size_t event_bytes = 5120; // 4 KiB with new code, and 1 KiB for the allocator

/// Returns: the code address in a word of the stack, without its signature.
[[gnu::always_inline]] inline std::uint64_t code_address(std::uint64_t word) noexcept {
    register std::uint64_t x30 asm("x30") =
        word;                   // NOLINT(misc-const-correctness): the asm statement writes it
    asm("hint #7" : "+r"(x30)); // xpaclri; without effect where nothing is signed
    return x30;
}

inline constexpr unsigned address_bits = 48; ///< of code

/// Returns: the code address as a trace has it, in 47 bits: a level has another use for the highest one. Linux loads
/// programs and libraries of 48 bits far apart, so that no two share the lower bits.
constexpr std::uint64_t address_in_trace(std::uint64_t code) noexcept {
    return code & ((std::uint64_t{1} << 47) - 1);
}

/// The location of a frame's return address.
struct return_location {
    constexpr return_location() noexcept = default;
    constexpr explicit return_location(std::uint64_t location) noexcept : location_(location) {}
    [[nodiscard]] constexpr std::uint64_t at(std::uint64_t /*slot*/) const noexcept { return location_; }

private:
    std::uint64_t location_ = 0;
};

/// Returns: the slot of the caller, whose return address was read at `location`; 0 if it was in a register.
constexpr std::uint64_t slot_of_return(std::uint64_t location,
                                       std::uint64_t canonical_frame_address) noexcept {
    return location == 0 ? 0 : canonical_frame_address - sizeof(std::uint64_t);
}

// The call of an interposed function, which has a frame pointer.

struct call_frame {
    const void* record;
    const void* canonical_frame_address;
};
#define MALLARD_FRAME                                                                                        \
    (::mallard::recorder::arch::call_frame{__builtin_frame_address(0), __builtin_dwarf_cfa()})

/// Returns: the caller's frame pointer, and behind it the return address.
[[gnu::always_inline]] inline const std::uint64_t* frame_record(call_frame frame) noexcept {
    return static_cast<const std::uint64_t*>(frame.record);
}
[[gnu::always_inline]] inline std::uint64_t frame_slot(call_frame frame) noexcept {
    return reinterpret_cast<std::uint64_t>(frame.canonical_frame_address) - sizeof(std::uint64_t);
}

/// The operands of a simple unwind rule: the canonical frame address is a register plus `frame_offset`; the return address was
/// saved below it, and the caller's frame pointer below that, if at all.
///
///     | 3 bits of the rule | frame / 16, 14 bits | saved return address / 8, 14 bits | frame pointer saved 1 |
class rule_operands {
public:
    static constexpr bool fit(std::int64_t frame_offset, std::int64_t frame_pointer_below,
                              std::int64_t return_below) noexcept {
        return frame_offset > 0 && frame_offset < std::int64_t{1} << 18 && frame_offset % 16 == 0 &&
               return_below > 0 && return_below < std::int64_t{1} << 17 && return_below % 8 == 0 &&
               (frame_pointer_below == 0 || frame_pointer_below == return_below + 8);
    }
    static constexpr std::uint32_t encode(std::int64_t frame_offset, std::int64_t frame_pointer_below,
                                          std::int64_t return_below) noexcept {
        return static_cast<std::uint32_t>(frame_offset / 16) << 3 |
               static_cast<std::uint32_t>(return_below / 8) << 17 | (frame_pointer_below != 0 ? 1U << 31 : 0);
    }
    static constexpr std::uint64_t frame_offset(std::uint32_t bits) noexcept {
        return (bits >> 3 & 0x3fffU) * std::uint64_t{16};
    }
    static constexpr std::uint64_t frame_pointer_below(std::uint32_t bits) noexcept {
        return bits >> 31 != 0 ? return_below(bits) + 8 : 0;
    }
    static constexpr std::uint64_t return_below(std::uint32_t bits) noexcept {
        return (bits >> 17 & 0x3fffU) * std::uint64_t{8};
    }
};

// A frame pointer leads to the caller's frame pointer and the return address, and not to the canonical frame address. So that of
// a function without a description is not known.
inline constexpr std::int64_t standard_frame_bytes = 0;
inline constexpr std::int64_t standard_return_below = 0;

// Machine code.

inline constexpr std::size_t longest_call = 4;

inline std::uint32_t instruction_at(const std::uint8_t* code) noexcept {
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, code, sizeof instruction);
    return instruction;
}

/// Returns: true if the instruction before `key` calls: bl; blr; blraa and the like, which authenticate the address.
inline bool follows_call(const std::uint8_t* key) noexcept {
    const std::uint32_t instruction = instruction_at(key - 4);
    return instruction >> 26 == 0x25 || (instruction & 0xfffffc1fU) == 0xd63f0000U ||
           (instruction & 0xfefff800U) == 0xd63f0800U;
}

inline constexpr int any_byte = -1;
/// Functions of gcc's crtstuff.c have descriptions.
inline constexpr std::array<int, 0> undescribed_destructors{};

/// The frame of a signal handler's caller: the kernel's trampoline has no description that is complete.
struct signal_frame {
    static constexpr std::size_t code_bytes = 8;
    static bool is_trampoline(const std::uint8_t* code) noexcept {
        return instruction_at(code) == 0xd2801168U &&
               instruction_at(code + 4) == 0xd4000001U; // mov x8, #139; svc #0
    }
    /// From the stack pointer to x0; the other registers follow, then the stack pointer and the program counter.
    static constexpr std::size_t registers_offset =
        sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs);
    static_assert(offsetof(mcontext_t, sp) == offsetof(mcontext_t, regs) + std::size_t{8} * stack_pointer &&
                  offsetof(mcontext_t, pc) == offsetof(mcontext_t, regs) + std::size_t{8} * program_counter);
};

/// The registers that a function keeps for its caller, and its own stack pointer and program counter.
struct kept_registers {
    static constexpr std::array<unsigned, 13> numbers{
        19, 20, 21, 22, 23, 24, 25, 26, 27, 28, frame_pointer, stack_pointer, program_counter};
    std::array<std::uint64_t, numbers.size()> values;

    [[gnu::always_inline]] void capture() noexcept {
        asm volatile("stp x19, x20, [%0, #0]\n\t"
                     "stp x21, x22, [%0, #16]\n\t"
                     "stp x23, x24, [%0, #32]\n\t"
                     "stp x25, x26, [%0, #48]\n\t"
                     "stp x27, x28, [%0, #64]\n\t"
                     "mov x9, sp\n\t"
                     "stp x29, x9, [%0, #80]\n\t"
                     "adr x9, .\n\t"
                     "str x9, [%0, #96]"
                     :
                     : "r"(values.data())
                     : "x9", "memory");
    }
};

/// An instruction of rows that only says how return addresses are signed: DW_CFA_AARCH64_negate_ra_state, ..._with_pc.
constexpr bool is_signing_instruction(std::uint8_t instruction) noexcept {
    return instruction == 0x2d || instruction == 0x2c;
}

// The processor.

/// Returns: ticks of the system's counter, which is synchronised between cores, and continues in sleep.
inline std::uint64_t time_stamp() noexcept {
    std::uint64_t ticks = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/// Returns: the time stamp after all earlier instructions. A plain one may be read while the program still computes what a call
/// needs, or before the call has ended.
inline std::uint64_t ordered_time_stamp() noexcept {
    asm volatile("isb" ::: "memory");
    return time_stamp();
}

inline void pause() noexcept {
    asm volatile("yield");
}

/// Returns: the kernel's result; negative for an error.
inline long call_kernel(long number, long first, long second, long third, long fourth, long fifth,
                        long sixth) noexcept {
    // NOLINTBEGIN(misc-const-correctness): the operands of an asm statement, which writes x0
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = first;
    register long x1 asm("x1") = second;
    register long x2 asm("x2") = third;
    register long x3 asm("x3") = fourth;
    register long x4 asm("x4") = fifth;
    register long x5 asm("x5") = sixth;
    // NOLINTEND(misc-const-correctness)
    asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

} // namespace mallard::recorder::arch

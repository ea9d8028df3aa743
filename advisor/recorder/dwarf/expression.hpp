/// The stack machine for call frame rules that an offset cannot express: PLT stubs, signal frames, frames that were
/// aligned at run time.
///
/// Source: DWARF 5, section 2.5.
#pragma once

#include "recorder/arch/arch.hpp"
#include "recorder/system/byte_cursor.hpp"
#include "recorder/system/readable_range.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder::unwind {

using arch::register_count;

/// The registers of one frame.
struct registers {
    std::array<address, register_count> value{};
    /// A bit for each register whose value is known.
    arch::register_set known = 0;

    [[nodiscard]] bool knows(std::uint64_t number) const noexcept {
        return number < register_count && (known >> number & 1U) != 0;
    }
    void set(unsigned number, address new_value) noexcept {
        value[number] = new_value;
        known |= arch::register_set{1} << number;
    }
    /// Effects: sets the program counter to the return address of a call. The caller cannot rely on the register that had it.
    void return_from_call() noexcept {
        set(arch::program_counter, arch::code_address(value[arch::return_column]));
        if constexpr (arch::return_column != arch::program_counter) {
            known &= ~(arch::register_set{1} << arch::return_column);
        }
    }
};

/// The words that determined a frame's caller. While they are unchanged, so is the caller.
struct words_read {
    static constexpr unsigned most = 8;
    struct word {
        address at;
        address value;
    };
    std::array<word, most> words{};
    unsigned count = 0;
    /// True if there were more than `most`, or a register other than the stack pointer and the frame pointer was used.
    bool incomplete = false;

    void add(address at, address value) noexcept {
        if (count < most) {
            words[count++] = {at, value};
        } else {
            incomplete = true;
        }
    }
};

/// Effects: evaluates the expression at `length_and_code`, with `first` pushed first if `has_first`; adds the words
/// that it reads to `read`.
/// Returns: true if the value is known; stores it in `result`.
bool evaluate(const std::uint8_t* length_and_code, const registers& frame, bool has_first, address first,
              readable_range& readable, words_read& read, address& result) noexcept;

} // namespace mallard::recorder::unwind

/// The stack machine for call frame rules that an offset cannot express: PLT stubs, signal frames, frames that were
/// aligned at run time.
///
/// Source: DWARF 5, section 2.5.
#pragma once

#include "recorder/system/byte_cursor.hpp"
#include "recorder/system/readable_range.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder::unwind {

// The registers of one frame, with the DWARF numbers of x86-64.

enum register_number : std::uint8_t {
    rbx = 3,
    rbp = 6,
    rsp = 7,
    r12 = 12,
    r13 = 13,
    r14 = 14,
    r15 = 15,
    rip = 16
};

inline constexpr unsigned register_count = 17;

struct registers {
    std::array<address, register_count> value{};
    /// A bit for each register whose value is known.
    std::uint32_t known = 0;

    [[nodiscard]] bool knows(std::uint64_t number) const noexcept {
        return number < register_count && (known >> number & 1U) != 0;
    }
    void set(unsigned number, address new_value) noexcept {
        value[number] = new_value;
        known |= 1U << number;
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
    /// True if there were more than `most`, or a register other than rsp and rbp was used.
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

/// The registers of one frame, with the DWARF numbers of x86-64.
#pragma once

#include "recorder/system/byte_cursor.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder::unwind {

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

} // namespace mallard::recorder::unwind

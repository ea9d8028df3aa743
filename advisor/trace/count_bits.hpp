/// The number of set bits. std::popcount is a call of a library function for processors of x86-64's baseline.
#pragma once

#include <cstdint>

namespace mallard::trace {

constexpr std::uint32_t count_bits(std::uint32_t word) noexcept {
    word -= word >> 1 & 0x5555'5555U;
    word = (word & 0x3333'3333U) + (word >> 2 & 0x3333'3333U);
    return ((word + (word >> 4)) & 0x0f0f'0f0fU) * 0x0101'0101U >> 24;
}

} // namespace mallard::trace

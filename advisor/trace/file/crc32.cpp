#include "trace/file/crc32.hpp"

#include <array>

namespace mallard::trace {

namespace {

constexpr std::uint32_t reflected_polynomial = 0xedb88320U;
constexpr std::size_t bytes_per_step = 8;

using table = std::array<std::uint32_t, 256>;

// Table k has the effect of a byte on the checksum after k further bytes.
constexpr std::array<table, bytes_per_step> make_tables() noexcept {
    std::array<table, bytes_per_step> result{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit) {
            remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? reflected_polynomial : 0);
        }
        result[0][byte] = remainder;
    }
    for (std::size_t index = 1; index < bytes_per_step; ++index) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            result[index][byte] = result[index - 1][byte] >> 8 ^ result[0][result[index - 1][byte] & 0xff];
        }
    }
    return result;
}

constexpr std::array<table, bytes_per_step> tables = make_tables();

std::uint32_t word_at(const std::byte* from) noexcept {
    return std::to_integer<std::uint32_t>(from[0]) | std::to_integer<std::uint32_t>(from[1]) << 8 |
           std::to_integer<std::uint32_t>(from[2]) << 16 | std::to_integer<std::uint32_t>(from[3]) << 24;
}

} // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) noexcept {
    std::uint32_t sum = ~std::uint32_t{0};
    const std::byte* at = bytes.data();
    const std::byte* const end = at + bytes.size();
    for (; static_cast<std::size_t>(end - at) >= bytes_per_step; at += bytes_per_step) {
        const std::uint32_t low = word_at(at) ^ sum;
        const std::uint32_t high = word_at(at + 4);
        sum = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^
              tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
              tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
    }
    for (; at != end; ++at) {
        sum = sum >> 8 ^ tables[0][(sum ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
    }
    return ~sum;
}

} // namespace mallard::trace

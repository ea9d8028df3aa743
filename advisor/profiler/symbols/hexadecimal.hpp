/// Numbers and bytes in hexadecimal digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mallard::advisor {

/// Returns: two digits for each byte, as tools print build-ids.
inline std::string hex_digits(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

/// Returns: `0x1234`.
inline std::string hex_number(std::uint64_t number) {
    std::string text;
    for (; number != 0 || text.empty(); number >>= 4) {
        text.insert(text.begin(), "0123456789abcdef"[number & 15]);
    }
    return "0x" + text;
}

} // namespace mallard::advisor

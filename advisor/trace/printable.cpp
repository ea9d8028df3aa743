#include "trace/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace mallard::trace {

std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) {
        return 0;
    }
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xc0) != 0x80) {
            return 0;
        }
    }
    // Overlong forms, surrogates, and values above the last character.
    const std::uint8_t second = byte(1);
    const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                          (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
    return is_wrong ? 0 : bytes;
}

namespace {

/// Requires: the text is one character in UTF-8.
std::uint32_t code_point(std::string_view character) noexcept {
    const auto first = static_cast<std::uint8_t>(character[0]);
    std::uint32_t code = character.size() == 1 ? first : first & (0x7fU >> character.size());
    for (const char c : character.substr(1)) {
        code = code << 6 | (static_cast<std::uint8_t>(c) & 0x3fU);
    }
    return code;
}

bool is_control(std::uint32_t code) noexcept {
    const auto within = [&](std::uint32_t first, std::uint32_t last) {
        return code >= first && code <= last;
    };
    return code < 0x20 || within(0x7f, 0x9f) || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
           within(0x2060, 0x206f) || code == 0xfeff;
}

std::string escape(std::uint32_t code) {
    switch (code) {
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        std::array<char, 8> text{};
        std::snprintf(text.data(), text.size(), code < 0x100 ? "\\x%02x" : "\\u%04x", code);
        return text.data();
    }
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = utf8_length(text);
        if (bytes == 0) {
            out += "\xef\xbf\xbd";
        } else {
            const std::string_view character = text.substr(0, bytes);
            const std::uint32_t code = code_point(character);
            out += is_control(code) ? escape(code) : std::string(character);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return out;
}

} // namespace mallard::trace

#include "profiler/export/printable.hpp"

#include <cstdint>

namespace mallard::advisor {

namespace {

/// Returns: the length of the character that the text begins with; 0 if it is not UTF-8.
std::size_t bytes_of_character(std::string_view text) noexcept {
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

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t bytes = bytes_of_character(text);
        if (bytes == 0) {
            out += "\xef\xbf\xbd";
        } else if (bytes == 1 && (static_cast<std::uint8_t>(text[0]) < 0x20 || text[0] == 0x7f)) {
            out += ' ';
        } else {
            out += text.substr(0, bytes);
        }
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return out;
}

std::string json_string(std::string_view printable_text) {
    std::string out = "\"";
    for (const char c : printable_text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out + '"';
}

} // namespace mallard::advisor

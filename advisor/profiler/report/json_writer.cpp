#include "profiler/report/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace mallard::advisor {

void json_writer::separate() {
    if (needs_comma_) {
        text_ += ',';
    }
    needs_comma_ = true;
}

json_writer& json_writer::open(char bracket) {
    separate();
    text_ += bracket;
    needs_comma_ = false;
    return *this;
}

json_writer& json_writer::close(char bracket) {
    text_ += bracket;
    needs_comma_ = true;
    return *this;
}

json_writer& json_writer::raw(std::string_view text) {
    separate();
    text_ += text;
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    value(name);
    text_ += ':';
    needs_comma_ = false;
    return *this;
}

/// Valid UTF-8 is written as it is; a name may hold any bytes.
json_writer& json_writer::value(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    separate();
    text_ += '"';
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte < 0x80) {
            if (byte == '"' || byte == '\\') {
                text_ += '\\';
                text_ += text[at];
            } else if (byte < 0x20 || byte == 0x7f) {
                text_ += "\\u00";
                text_ += digits[byte >> 4];
                text_ += digits[byte & 15];
            } else {
                text_ += text[at];
            }
            ++at;
            continue;
        }
        const std::size_t length = byte >= 0xf0 && byte < 0xf5 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
        bool valid = length != 0 && byte < 0xf5 && at + length <= text.size();
        for (std::size_t next = 1; valid && next < length; ++next) {
            valid = (static_cast<unsigned char>(text[at + next]) & 0xc0) == 0x80;
        }
        if (valid && length > 2) {
            // Overlong forms, surrogates, and values above the last character.
            const auto second = static_cast<unsigned char>(text[at + 1]);
            valid = !(byte == 0xe0 && second < 0xa0) && !(byte == 0xed && second >= 0xa0) &&
                    !(byte == 0xf0 && second < 0x90) && !(byte == 0xf4 && second >= 0x90);
        }
        if (valid) {
            text_ += text.substr(at, length);
            at += length;
        } else {
            text_ += "\\ufffd";
            ++at;
        }
    }
    text_ += '"';
    return *this;
}

json_writer& json_writer::value(double number) {
    if (!std::isfinite(number)) {
        return value(null{});
    }
    std::array<char, 32> digits;
    const std::to_chars_result end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return raw({digits.data(), static_cast<std::size_t>(end.ptr - digits.data())});
}

} // namespace mallard::advisor

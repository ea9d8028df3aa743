#include "trace/json_writer.hpp"

#include "trace/printable.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace mallard::trace {

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
        if (const std::size_t length = utf8_length(text.substr(at)); length != 0) {
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

} // namespace mallard::trace

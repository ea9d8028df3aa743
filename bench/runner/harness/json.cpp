#include "runner/harness/json.hpp"

#include <cstdio>

namespace bench {

void json_writer::separate() {
    if (!first_) {
        text_ += ',';
    }
    first_ = false;
}

json_writer& json_writer::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
}

json_writer& json_writer::close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    value(name);
    text_ += ':';
    first_ = true;
    return *this;
}

json_writer& json_writer::value(std::string_view text) {
    separate();
    text_ += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[7];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            text_ += escaped;
        } else {
            text_ += c;
        }
    }
    text_ += '"';
    return *this;
}

json_writer& json_writer::value(double number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.12g", number);
    return literal(digits);
}

json_writer& json_writer::literal(std::string_view text) {
    separate();
    text_ += text;
    return *this;
}

} // namespace bench

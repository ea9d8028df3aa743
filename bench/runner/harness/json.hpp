/// A writer of JSON: objects, arrays, strings, numbers, booleans.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// Appends to one line of text. The caller opens and closes objects and arrays in order.
class json_writer {
public:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    json_writer& key(std::string_view name);

    json_writer& value(std::string_view text);
    json_writer& value(const char* text) { return value(std::string_view(text)); }
    json_writer& value(double number);
    template <std::integral Number>
    json_writer& value(Number number) {
        if constexpr (std::same_as<Number, bool>) {
            return literal(number ? "true" : "false");
        } else {
            return literal(std::to_string(number));
        }
    }

    template <class Value>
    json_writer& member(std::string_view name, const Value& v) {
        return key(name).value(v);
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    json_writer& literal(std::string_view text);
    void separate();

    std::string text_;
    bool first_ = true;
};

} // namespace bench

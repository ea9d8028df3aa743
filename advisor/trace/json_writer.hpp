/// Writes JSON into a string, value by value.
///
/// Invariant: commas are correct for any order of calls; a double that is not finite becomes `null`.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mallard::trace {

class json_writer {
public:
    /// The null value.
    struct null {};

    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_list() { return open('['); }
    json_writer& end_list() { return close(']'); }
    json_writer& key(std::string_view name);

    json_writer& value(std::string_view text);
    json_writer& value(const char* text) { return value(std::string_view(text)); }
    json_writer& value(double number);
    json_writer& value(bool truth) { return raw(truth ? "true" : "false"); }
    json_writer& value(null) { return raw("null"); }
    json_writer& value(std::unsigned_integral auto number) { return raw(std::to_string(number)); }
    json_writer& value(std::signed_integral auto number) { return raw(std::to_string(number)); }
    template <class T>
    json_writer& value(const std::optional<T>& number) {
        return number ? value(*number) : value(null{});
    }

    template <class T>
    json_writer& field(std::string_view name, const T& content) {
        return key(name).value(content);
    }
    /// Effects: writes the result of `content`, or null if it is not known.
    template <class Content>
    json_writer& optional_field(std::string_view name, bool is_known, const Content& content) {
        key(name);
        return is_known ? value(content()) : value(null{});
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    json_writer& raw(std::string_view text);
    void separate();

    std::string text_;
    bool needs_comma_ = false;
};

} // namespace mallard::trace

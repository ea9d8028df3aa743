/// A message of protocol buffers in its encoding: field after field.
///
///     field: | number * 8 + kind | value             |   kind 0: a number
///            | number * 8 + kind | length | bytes    |   kind 2: text, a message, or packed numbers
///
/// Numbers are LEB128, as in traces. A field that has its default value is left out.
#pragma once

#include "trace/raw_record.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mallard::advisor {

class protobuf_message {
public:
    void number(unsigned field, std::uint64_t value) {
        if (value != 0) {
            append(field << 3 | 0);
            append(value);
        }
    }
    void text(unsigned field, std::string_view value) {
        append(field << 3 | 2);
        append(value.size());
        bytes_ += value;
    }
    void message(unsigned field, const protobuf_message& value) { text(field, value.bytes_); }
    void packed(unsigned field, std::span<const std::uint64_t> values) {
        protobuf_message all;
        for (const std::uint64_t value : values) {
            all.append(value);
        }
        message(field, all);
    }

    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
    void clear() noexcept { bytes_.clear(); }

private:
    void append(std::uint64_t value) {
        std::byte encoded[10];
        const std::byte* const end = trace::write_number(encoded, value);
        bytes_.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(end - encoded));
    }

    std::string bytes_;
};

} // namespace mallard::advisor

/// Reads consecutive numbers of .eh_frame, and never past the end of its range.
///
/// Source: DWARF 5, sections 6.4 and 7.6; Linux Standard Base 5, chapter 10 (encoded pointers).
#pragma once

#include <cstdint>
#include <cstring>

namespace mallard::recorder::unwind {

using address = std::uint64_t;

/// Pointer encoding of .eh_frame (DW_EH_PE): a format in the low four bits, a base in the next three, and one bit for a
enum pointer_encoding : std::uint8_t {
    absolute = 0x00,
    unsigned_leb = 0x01,
    unsigned_2 = 0x02,
    unsigned_4 = 0x03,
    unsigned_8 = 0x04,
    signed_leb = 0x09,
    signed_2 = 0x0a,
    signed_4 = 0x0b,
    signed_8 = 0x0c,
    pc_relative = 0x10,
    data_relative = 0x30,
    indirect = 0x80,
    omitted = 0xff,
};

class byte_cursor {
public:
    byte_cursor(const std::uint8_t* begin, const std::uint8_t* end) noexcept : at_(begin), end_(end) {}

    [[nodiscard]] const std::uint8_t* at() const noexcept { return at_; }
    [[nodiscard]] bool done() const noexcept { return at_ >= end_; }
    /// True if a number went past the end, or its encoding is unknown. All numbers since then are 0.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    template <typename T>
    T fixed() noexcept {
        T value{};
        if (!has(sizeof(T))) {
            return value;
        }
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    std::uint64_t unsigned_number() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = fixed<std::uint8_t>();
            if (shift < 64) {
                value |= std::uint64_t{byte & 0x7fU} << shift;
            }
            if (byte < 0x80) {
                return value;
            }
        }
    }

    std::int64_t signed_number() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const auto byte = fixed<std::uint8_t>();
            if (shift < 64) {
                value |= std::uint64_t{byte & 0x7fU} << shift;
            }
            shift += 7;
            if (byte < 0x80) {
                if (shift < 64 && (byte & 0x40U) != 0) {
                    value |= ~std::uint64_t{0} << shift;
                }
                return static_cast<std::int64_t>(value);
            }
        }
    }

    /// Effects: skips `bytes` bytes.
    void skip(std::uint64_t bytes) noexcept {
        if (has(bytes)) {
            at_ += bytes;
        }
    }

    /// Returns: a cursor over the next `bytes`, and skips them.
    byte_cursor part(std::uint64_t bytes) noexcept {
        const std::uint8_t* const begin = at_;
        skip(bytes);
        return {begin, at_};
    }

    /// Returns: the length field of an entry, of 4 or of 12 bytes; 0 ends a section.
    std::uint64_t length() noexcept {
        const auto short_length = fixed<std::uint32_t>();
        return short_length == 0xffffffffU ? fixed<std::uint64_t>() : short_length;
    }

    /// Returns: the pointer; 0 if its bytes are 0.
    address pointer(std::uint8_t encoding, const std::uint8_t* header = nullptr) noexcept {
        const auto place = reinterpret_cast<address>(at_);
        address value = formatted(encoding & 0x0fU);
        if (value == 0) {
            return 0;
        }
        switch (encoding & 0x70U) {
        case absolute:
            break;
        case pc_relative:
            value += place;
            break;
        case data_relative:
            value += reinterpret_cast<address>(header);
            break;
        default:
            fail();
        }
        if ((encoding & indirect) != 0 && !failed_) {
            std::memcpy(&value, reinterpret_cast<const void*>(value), sizeof value);
        }
        return failed_ ? 0 : value;
    }

private:
    address formatted(unsigned format) noexcept {
        switch (format) {
        // NOLINTNEXTLINE(bugprone-branch-clone): one branch would change the generated code of the unwinder
        case absolute:
        case unsigned_8:
            return fixed<std::uint64_t>();
        case signed_8:
            return fixed<std::uint64_t>();
        case unsigned_leb:
            return unsigned_number();
        case signed_leb:
            return static_cast<address>(signed_number());
        case unsigned_2:
            return fixed<std::uint16_t>();
        case signed_2:
            return static_cast<address>(std::int64_t{fixed<std::int16_t>()});
        case unsigned_4:
            return fixed<std::uint32_t>();
        case signed_4:
            return static_cast<address>(std::int64_t{fixed<std::int32_t>()});
        default:
            fail();
            return 0;
        }
    }

    bool has(std::uint64_t bytes) noexcept {
        if (!failed_ && bytes <= static_cast<std::uint64_t>(end_ - at_)) {
            return true;
        }
        fail();
        return false;
    }

    void fail() noexcept {
        failed_ = true;
        at_ = end_;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool failed_ = false;
};

} // namespace mallard::recorder::unwind

/// Numbers and texts in the bodies of frames: LEB128, seven bits a byte, the lowest first.
///
/// A byte_reader reads untrusted bytes. Its functions throw `bad_bytes` instead of reading past the end, and never
/// allocate more than the available bytes.
#pragma once

#include "trace/raw_record.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::trace {

/// The bytes of a frame are invalid. The reader of the file adds its name and the position.
class bad_bytes : public std::exception {
public:
    explicit bad_bytes(const char* reason) noexcept : reason_(reason) {}
    [[nodiscard]] const char* what() const noexcept override { return reason_; }

private:
    const char* reason_; ///< a literal
};

/// A growing array of bytes.
///
/// Invariant: [begin, end) is memory of which [begin, at) is filled. A vector would access three words for each byte.
class byte_writer {
public:
    byte_writer() noexcept = default;
    byte_writer(const byte_writer&) = delete;
    byte_writer& operator=(const byte_writer&) = delete;

    void byte(std::uint8_t value) {
        if (at_ == end_) [[unlikely]] {
            grow(1);
        }
        *at_++ = static_cast<std::byte>(value);
    }

    void number(std::uint64_t value) {
        if (static_cast<std::size_t>(end_ - at_) < most_number_bytes) [[unlikely]] {
            grow(most_number_bytes);
        }
        at_ = write_number(at_, value);
    }

    void signed_number(std::int64_t value) { number(zigzag(value)); }

    void text(std::string_view value) {
        grow(value.size() + most_number_bytes);
        at_ = write_text(at_, value.data(), value.size());
    }

    void clear() noexcept { at_ = bytes_.data(); }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {bytes_.data(), size()}; }
    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - bytes_.data()); }

private:
    static constexpr std::size_t most_number_bytes = 10;
    static constexpr std::size_t first_bytes = 64;

    /// Effects: makes room for `more` bytes.
    [[gnu::noinline]] void grow(std::size_t more) {
        const std::size_t filled = size();
        if (bytes_.size() - filled < more) {
            bytes_.resize(std::max({bytes_.size() * 2, filled + more, first_bytes}));
        }
        at_ = bytes_.data() + filled;
        end_ = bytes_.data() + bytes_.size();
    }

    std::vector<std::byte> bytes_;
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
};

class byte_reader {
public:
    byte_reader() noexcept = default;
    explicit byte_reader(std::span<const std::byte> bytes) noexcept
        : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    [[nodiscard]] std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - at_); }

    std::uint8_t byte() {
        if (at_ == end_) [[unlikely]] {
            throw bad_bytes("the frame ends too early");
        }
        return std::to_integer<std::uint8_t>(*at_++);
    }

    std::uint64_t number() {
        if (at_ != end_ && *at_ < std::byte{0x80}) [[likely]] {
            return std::to_integer<std::uint64_t>(*at_++);
        }
        return long_number();
    }

    std::int64_t signed_number() { return from_zigzag(number()); }

    /// Throws: bad_bytes if the number is above `most`.
    std::uint64_t number_up_to(std::uint64_t most) {
        const std::uint64_t value = number();
        if (value > most) {
            throw bad_bytes("a number is too large");
        }
        return value;
    }

    std::span<const std::byte> take(std::uint64_t count) {
        if (count > remaining()) {
            throw bad_bytes("the frame ends too early");
        }
        const std::span<const std::byte> taken(at_, static_cast<std::size_t>(count));
        at_ += count;
        return taken;
    }

    std::string text() {
        const auto taken = take(number());
        return {reinterpret_cast<const char*>(taken.data()), taken.size()};
    }

private:
    std::uint64_t long_number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint64_t next = byte();
            value |= (next & 0x7f) << shift;
            if (next < 0x80) {
                if (shift == 63 && next > 1) {
                    break;
                }
                return value;
            }
        }
        throw bad_bytes("a number has more than 64 bits");
    }

    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
};

} // namespace mallard::trace

/// The body of a frame with many things of a kind: columns, in which like stands beside like, so that zstd finds it.
///
///     numbers of the kind of body | lengths of the columns | column | column | ... |
///
/// A number that is no byte is a token in its column, and the bits that the token leaves open in the column `bits`.
#pragma once

#include "trace/file/bytes.hpp"
#include "trace/file/packed.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mallard::trace {

/// Each kind of body has an enumeration of its columns. The last one of it is `end`, and there is one that is `bits`.
template <typename Column>
inline constexpr std::size_t column_count = static_cast<std::size_t>(Column::end);

inline constexpr std::int64_t usual_alignment = 16; ///< of blocks

/// The token of a number: the number itself below 16, else its highest three bits. It leaves `open` bits.
struct token {
    std::uint8_t symbol = 0;
    unsigned open = 0;

    static constexpr token of(std::uint64_t value) noexcept {
        if (value < 16) {
            return {static_cast<std::uint8_t>(value), 0};
        }
        const auto open = static_cast<unsigned>(std::bit_width(value)) - 3;
        return {static_cast<std::uint8_t>(12 + (open - 2) * 4 + (value >> open)), open};
    }
    static constexpr token of_symbol(std::uint8_t symbol) noexcept {
        return {symbol, symbol < 16 ? 0 : (symbol - 16U) / 4 + 2};
    }
    /// The number, with 0 for the open bits.
    [[nodiscard]] constexpr std::uint64_t base() const noexcept {
        return symbol < 16 ? symbol : std::uint64_t{4U + symbol % 4U} << open;
    }
};
static_assert(token::of(~std::uint64_t{0}).symbol == 255);
static_assert(token::of(16).symbol == 16 && token::of(16).base() == 16);
static_assert(token::of_symbol(token::of(1000).symbol).base() <= 1000);
static_assert(token::of_symbol(255).open == 61);

template <typename Column>
class column_writer {
public:
    void clear() noexcept {
        for (byte_writer& each : columns_) {
            each.clear();
        }
        pending_ = 0;
        pending_bits_ = 0;
    }

    byte_writer& operator[](Column which) noexcept { return columns_[static_cast<std::size_t>(which)]; }

    void number(Column which, std::uint64_t value) {
        const token made = token::of(value);
        (*this)[which].byte(made.symbol);
        if (made.open > 32) {
            bits(value >> 32 & ((std::uint64_t{1} << (made.open - 32)) - 1), made.open - 32);
        }
        const unsigned low = made.open > 32 ? 32 : made.open;
        if (low != 0) {
            bits(value & ((std::uint64_t{1} << low) - 1), low);
        }
    }

    /// Effects: writes how far an address is from another one. Most distances are multiples of 16: one number, that is not 0.
    /// Else 0 and the distance.
    void distance(Column which, std::uint64_t address, std::uint64_t from) {
        const auto apart = static_cast<std::int64_t>(address - from);
        if (apart % usual_alignment == 0) {
            number(which, zigzag(apart / usual_alignment) + 1);
            return;
        }
        number(which, 0);
        number(which, zigzag(apart));
    }

    /// Effects: writes the bits that are not a whole byte yet.
    void finish() {
        for (; pending_bits_ > 0; pending_bits_ -= pending_bits_ < 8 ? pending_bits_ : 8) {
            (*this)[Column::bits].byte(static_cast<std::uint8_t>(pending_));
            pending_ >>= 8;
        }
    }

    /// Effects: writes the lengths of the columns.
    void write_lengths(byte_writer& to) const {
        for (const byte_writer& each : columns_) {
            to.number(each.size());
        }
    }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_; }

private:
    void bits(std::uint64_t value, unsigned count) {
        pending_ |= value << pending_bits_;
        pending_bits_ += count;
        for (; pending_bits_ >= 8; pending_bits_ -= 8) {
            (*this)[Column::bits].byte(static_cast<std::uint8_t>(pending_));
            pending_ >>= 8;
        }
    }

    std::array<byte_writer, column_count<Column>> columns_;
    std::uint64_t pending_ = 0; ///< fewer than 8 bits, before bits() adds some
    unsigned pending_bits_ = 0;
};

template <typename Column>
class column_reader {
public:
    /// Effects: reads columns with these lengths.
    /// Requires: `unpacker::bytes_behind` bytes are behind those of `from`.
    /// Throws: bad_bytes if they have not the length of all columns.
    void begin(byte_reader& from) {
        std::array<std::uint64_t, column_count<Column>> lengths{};
        for (std::uint64_t& each : lengths) {
            each = from.number();
        }
        for (std::size_t which = 0; which < columns_.size(); ++which) {
            columns_[which] = byte_reader(from.take(lengths[which]));
        }
        if (from.left() != 0) {
            throw bad_bytes("it has more bytes than its columns");
        }
        byte_reader& open = (*this)[Column::bits];
        bit_ = 0;
        bit_end_ = open.left() * 8;
        bits_ = open.take(open.left()).data();
    }

    byte_reader& operator[](Column which) noexcept { return columns_[static_cast<std::size_t>(which)]; }

    std::uint64_t number(Column which) {
        const token made = token::of_symbol((*this)[which].byte());
        std::uint64_t value = made.base();
        if (made.open != 0) {
            if (made.open > 32) {
                value |= bits(made.open - 32) << 32;
            }
            value |= bits(made.open > 32 ? 32 : made.open);
        }
        return value;
    }

    /// Returns: the address that is so far from another one.
    std::uint64_t distance(Column which, std::uint64_t from) {
        const std::uint64_t aligned = number(which);
        if (aligned == 0) {
            return from + static_cast<std::uint64_t>(from_zigzag(number(which)));
        }
        return from + static_cast<std::uint64_t>(from_zigzag(aligned - 1)) * std::uint64_t{usual_alignment};
    }

    /// Throws: bad_bytes if a column has bytes that nothing has read.
    void end() const {
        for (const byte_reader& each : columns_) {
            if (each.left() != 0) {
                throw bad_bytes("it has more bytes than it says");
            }
        }
        if (bit_end_ - bit_ >= 8) {
            throw bad_bytes("it has more bits than it says");
        }
    }

private:
    std::uint64_t bits(unsigned count) {
        bit_ += count;
        if (bit_ > bit_end_) [[unlikely]] {
            throw bad_bytes("it ends too early");
        }
        std::uint64_t word = 0;
        const std::size_t first = bit_ - count;
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(&word, bits_ + first / 8, sizeof word);
        } else {
            for (unsigned which = 0; which < 8; ++which) {
                word |= std::to_integer<std::uint64_t>(bits_[first / 8 + which]) << 8 * which;
            }
        }
        return word >> first % 8 & ((std::uint64_t{1} << count) - 1);
    }

    std::array<byte_reader, column_count<Column>> columns_;
    const std::byte* bits_ = nullptr;
    std::size_t bit_ = 0;
    std::size_t bit_end_ = 0;
};

} // namespace mallard::trace

/// The body of a frame with many similar items: columns, which bring similar values together for zstd.
///
///     prologue | lengths of the columns | column | column | ... |
///
/// A number that is not a byte is a token in its column, and the token's open bits in the column `bits`.
#pragma once

#include "trace/file/bytes.hpp"
#include "trace/file/packed.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mallard::trace {

/// Each kind of body has an enumeration of its columns. The last enumerator is `end`, and one is `bits`.
template <typename Column>
inline constexpr std::size_t column_count = static_cast<std::size_t>(Column::end);

inline constexpr std::int64_t block_alignment = 16; ///< of blocks

/// The token of a number: the number itself below 16, else its highest three bits. The other `open` bits follow separately.
struct token {
    std::uint8_t symbol = 0;
    unsigned open = 0;

    static constexpr token encode(std::uint64_t value) noexcept {
        if (value < 16) {
            return {static_cast<std::uint8_t>(value), 0};
        }
        const auto open = static_cast<unsigned>(std::bit_width(value)) - 3;
        return {static_cast<std::uint8_t>(12 + (open - 2) * 4 + (value >> open)), open};
    }
    static constexpr token from_symbol(std::uint8_t symbol) noexcept {
        return {symbol, symbol < 16 ? 0 : (symbol - 16U) / 4 + 2};
    }
    /// The number, with 0 for the open bits.
    [[nodiscard]] constexpr std::uint64_t base() const noexcept {
        return symbol < 16 ? symbol : std::uint64_t{4U + symbol % 4U} << open;
    }
};
static_assert(token::encode(~std::uint64_t{0}).symbol == 255);
static_assert(token::encode(16).symbol == 16 && token::encode(16).base() == 16);
static_assert(token::from_symbol(token::encode(1000).symbol).base() <= 1000);
static_assert(token::from_symbol(255).open == 61);

template <typename Column>
class column_writer {
public:
    void clear() noexcept {
        for (byte_writer& column : columns_) {
            column.clear();
        }
        pending_ = 0;
        pending_bits_ = 0;
    }

    byte_writer& operator[](Column column) noexcept { return columns_[static_cast<std::size_t>(column)]; }

    void number(Column column, std::uint64_t value) {
        const token encoded = token::encode(value);
        (*this)[column].byte(encoded.symbol);
        if (encoded.open > 32) {
            bits(value >> 32 & ((std::uint64_t{1} << (encoded.open - 32)) - 1), encoded.open - 32);
        }
        const unsigned low = encoded.open > 32 ? 32 : encoded.open;
        if (low != 0) {
            bits(value & ((std::uint64_t{1} << low) - 1), low);
        }
    }

    /// Effects: writes the distance between two addresses. Most distances are multiples of 16: one number, not 0.
    /// Otherwise 0 and the distance.
    void distance(Column column, std::uint64_t address, std::uint64_t from) {
        const auto difference = static_cast<std::int64_t>(address - from);
        if (difference % block_alignment == 0) {
            number(column, zigzag(difference / block_alignment) + 1);
            return;
        }
        number(column, 0);
        number(column, zigzag(difference));
    }

    /// Effects: writes the bits of the last, incomplete byte.
    void finish() {
        for (; pending_bits_ > 0; pending_bits_ -= pending_bits_ < 8 ? pending_bits_ : 8) {
            (*this)[Column::bits].byte(static_cast<std::uint8_t>(pending_));
            pending_ >>= 8;
        }
    }

    /// Effects: writes the lengths of the columns.
    void write_lengths(byte_writer& to) const {
        for (const byte_writer& column : columns_) {
            to.number(column.size());
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
    std::uint64_t pending_ = 0; ///< fewer than 8 bits, before bits() adds more
    unsigned pending_bits_ = 0;
};

template <typename Column>
class column_reader {
public:
    /// Effects: reads columns with these lengths.
    /// Requires: `unpacker::bytes_behind` bytes follow those of `from`.
    /// Throws: bad_bytes if the lengths do not add up to those of `from`.
    void begin(byte_reader& from) {
        std::array<std::uint64_t, column_count<Column>> lengths{};
        for (std::uint64_t& length : lengths) {
            length = from.number();
        }
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            columns_[index] = byte_reader(from.take(lengths[index]));
        }
        if (from.remaining() != 0) {
            throw bad_bytes("the frame has more bytes than its columns");
        }
        byte_reader& open = (*this)[Column::bits];
        bit_ = 0;
        bit_end_ = open.remaining() * 8;
        bits_ = open.take(open.remaining()).data();
    }

    byte_reader& operator[](Column column) noexcept { return columns_[static_cast<std::size_t>(column)]; }

    std::uint64_t number(Column column) {
        const token decoded = token::from_symbol((*this)[column].byte());
        std::uint64_t value = decoded.base();
        if (decoded.open != 0) {
            if (decoded.open > 32) {
                value |= bits(decoded.open - 32) << 32;
            }
            value |= bits(decoded.open > 32 ? 32 : decoded.open);
        }
        return value;
    }

    /// Returns: the address at the next distance from `from`.
    std::uint64_t distance(Column column, std::uint64_t from) {
        const std::uint64_t aligned = number(column);
        if (aligned == 0) {
            return from + static_cast<std::uint64_t>(from_zigzag(number(column)));
        }
        return from + static_cast<std::uint64_t>(from_zigzag(aligned - 1)) * std::uint64_t{block_alignment};
    }

    /// Throws: bad_bytes if a column has bytes that were not read.
    void end() const {
        for (const byte_reader& column : columns_) {
            if (column.remaining() != 0) {
                throw bad_bytes("the frame has more bytes than declared");
            }
        }
        if (bit_end_ - bit_ >= 8) {
            throw bad_bytes("the frame has more bits than declared");
        }
    }

private:
    std::uint64_t bits(unsigned count) {
        bit_ += count;
        if (bit_ > bit_end_) [[unlikely]] {
            throw bad_bytes("the frame ends too early");
        }
        std::uint64_t word = 0;
        const std::size_t first = bit_ - count;
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(&word, bits_ + first / 8, sizeof word);
        } else {
            for (unsigned index = 0; index < 8; ++index) {
                word |= std::to_integer<std::uint64_t>(bits_[first / 8 + index]) << 8 * index;
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

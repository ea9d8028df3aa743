/// The body of a frame with many similar items: a column for each field, which brings similar values together for zstd.
///
///     prologue | lengths of the columns | column | column | ... |
#pragma once

#include "trace/file/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mallard::trace {

/// Each kind of body has an enumeration of its columns, whose last enumerator is `end`.
template <typename Column>
inline constexpr std::size_t column_count = static_cast<std::size_t>(Column::end);

template <typename Column>
class column_writer {
public:
    void clear() noexcept {
        for (byte_writer& column : columns_) {
            column.clear();
        }
    }

    byte_writer& operator[](Column column) noexcept { return columns_[static_cast<std::size_t>(column)]; }

    /// Effects: appends the lengths of the columns to `prologue`.
    void write_lengths(byte_writer& prologue) const {
        for (const byte_writer& column : columns_) {
            prologue.number(column.size());
        }
    }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_; }

private:
    std::array<byte_writer, column_count<Column>> columns_;
};

template <typename Column>
class column_reader {
public:
    /// Effects: reads the lengths, and takes the rest of `body` as the columns.
    /// Throws: bad_bytes if the lengths do not add up to the rest.
    void begin(byte_reader& body) {
        std::array<std::uint64_t, column_count<Column>> lengths{};
        for (std::uint64_t& length : lengths) {
            length = body.number();
        }
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            columns_[index] = byte_reader(body.take(lengths[index]));
        }
        if (body.remaining() != 0) {
            throw bad_bytes("the frame has more bytes than its columns");
        }
    }

    byte_reader& operator[](Column column) noexcept { return columns_[static_cast<std::size_t>(column)]; }

    /// Throws: bad_bytes if a column has bytes that were not read.
    void end() const {
        for (const byte_reader& column : columns_) {
            if (column.remaining() != 0) {
                throw bad_bytes("the frame has more bytes than declared");
            }
        }
    }

private:
    std::array<byte_reader, column_count<Column>> columns_;
};

} // namespace mallard::trace

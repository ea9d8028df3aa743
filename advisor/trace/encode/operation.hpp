/// The columns of events, and the byte of each event in the first one: the methods by which its site and its block are found.
///
///     bits 5 to 7: step     bits 0 to 4: field, by the shape of the site's events
///
/// An exception is a separate byte in front of the event's.
#pragma once

#include "trace/encode/block_model.hpp"
#include "trace/encode/site_model.hpp"
#include "trace/file/columns.hpp"

namespace mallard::trace {

enum class column : std::uint8_t {
    operation,   ///< a byte for each event, and for each of its exceptions
    known_site,  ///< distance to the site in the order of addition
    new_context, ///< number of skipped leaves that no event of the frame has
    old_context, ///< 0 for the context of the preceding event; else 1 + the distance to the context
    kind,        ///< of a new site; 0 if as expected
    number,      ///< of a new site: of a name, an instance, a pool, a function
    kept,        ///< if not as expected
    bytes,       ///< of blocks, as LEB128
    count,       ///< number of a gap, a rollback, a function
    rank,        ///< of a free block among those of its size
    near_class,  ///< distance of a block from the last block of its size
    near_last,   ///< distance of a block from the last block
    lag,         ///< blocks allocated since the freed one
    foreign,     ///< distance of a freed block that no event of the frame allocated
    inside,      ///< ticks in the allocator, and in the recorder
    bits,
    time, ///< steps of time; the first of `time_classes` columns, by the expected time
    end = time + time_classes,
};

constexpr column time_column(unsigned time_class) noexcept {
    return static_cast<column>(static_cast<unsigned>(column::time) + time_class);
}

enum class step : std::uint8_t {
    expected = 0, ///< the first expected site; the others are 1 to 3
    known = 4,    ///< an earlier site of the frame
    new_context =
        5, ///< a new site, with a context that is new in the frame and among the next ones of the trace
    old_context = 6, ///< a new site, with another context
    exception = 7,
};

enum class exception : std::uint8_t {
    kept,   ///< `kept` is not as expected
    inside, ///< the time in the allocator is known
};

inline constexpr unsigned field_bits = 5;
inline constexpr std::uint8_t most_field = (1U << field_bits) - 1;

/// In the field of an allocation: the bytes are not as expected.
inline constexpr std::uint8_t unexpected_bytes = 16;

constexpr std::uint8_t operation(step method, std::uint8_t field) noexcept {
    return static_cast<std::uint8_t>(static_cast<unsigned>(method) << field_bits | field);
}
constexpr std::uint8_t operation(step method, exception kind) noexcept {
    return operation(method, static_cast<std::uint8_t>(kind));
}

/// Returns: the encoded method: 0 is the last one at the site. The function is its own inverse.
constexpr std::uint8_t swapped_method(std::uint8_t method, std::uint8_t last_method) noexcept {
    return method == last_method ? std::uint8_t{0} : method == 0 ? last_method : method;
}

} // namespace mallard::trace

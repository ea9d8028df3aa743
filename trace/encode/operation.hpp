/// The columns of events, and the byte that each event has in the first one: how its site is found, and how its block.
///
///     bits 5 to 7: step     bits 0 to 4: field, by the shape of the site's events
///
/// An exception is a byte of its own in front of the event's.
#pragma once

#include "trace/encode/block_model.hpp"
#include "trace/encode/columns.hpp"
#include "trace/encode/site_model.hpp"

namespace mallard::trace {

enum class column : std::uint8_t {
    operation,   ///< a byte for each event, and for each of its exceptions
    known_site,  ///< sites since the one that is meant
    new_context, ///< leaves that no event of the frame has named yet, and which are passed over
    old_context, ///< 0 for the context of the event before; else contexts since the one that is meant
    kind,        ///< of a new site; 0 for the one that is expected
    number,      ///< of a new site: of a name, an instance, a pool, a function
    kept,        ///< where it is not as expected
    bytes,       ///< of blocks, as LEB128
    count,       ///< the number of a gap, a roll back, a function
    rank,        ///< of a free block among those of its size
    near_class,  ///< distance of a block from the last one of its size
    near_last,   ///< distance of a block from the last one
    lag,         ///< blocks since the one that is freed
    foreign,     ///< distance of a block that is freed, and which no event of the frame allocated
    inside,      ///< ticks that the allocator took, and the recorder
    bits,
    time, ///< steps of time; the first of `time_classes` columns, by the time that is expected
    end = time + time_classes,
};

constexpr column time_column(unsigned time_class) noexcept {
    return static_cast<column>(static_cast<unsigned>(column::time) + time_class);
}

enum class step : std::uint8_t {
    expected = 0, ///< the first of those that are expected; the others are 1 to 3
    known = 4,    ///< a site that the frame has had
    new_context =
        5, ///< a new site, with a context that is new in the frame, and among those of the trace the next ones
    old_context = 6, ///< a new site, with another context
    exception = 7,
};

enum class exception : std::uint8_t {
    kept,   ///< another number of levels than expected is kept
    inside, ///< the time in the allocator is known
};

inline constexpr unsigned field_bits = 5;
inline constexpr std::uint8_t most_field = (1U << field_bits) - 1;

/// In the field of an allocation: the bytes are not those that are expected.
inline constexpr std::uint8_t other_bytes = 16;

constexpr std::uint8_t operation(step way, std::uint8_t field) noexcept {
    return static_cast<std::uint8_t>(static_cast<unsigned>(way) << field_bits | field);
}
constexpr std::uint8_t operation(step way, exception which) noexcept {
    return operation(way, static_cast<std::uint8_t>(which));
}

/// Returns: the way as it is written: 0 is the last one at the site. It is its own inverse.
constexpr std::uint8_t swapped_way(std::uint8_t way, std::uint8_t last_way) noexcept {
    return way == last_way ? std::uint8_t{0} : way == 0 ? last_way : way;
}

} // namespace mallard::trace

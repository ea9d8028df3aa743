/// Messages about memory that an upstream took back from a live checked allocator.
///
///     upstream.release()  --post_message()-->  [ .. | holder, call, memory | .. ]
///                                                   --take_message()-->  the holder's next call
///
/// Data model: a ring of the last 64 messages of the process. An allocator that was winked out never takes its
/// message, which is overwritten later.
/// Threads: messages are written and read by atomic operations, the holder's id last and first. No lock is held
/// over a fork, and no thread waits. A message that is overwritten while it is read is not found. There is one
/// exception: if the 64th message after it has its holder too, that one may be found with a bound of the first.
#pragma once

#include <mallard/checking/misuse.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

struct memory_below {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    allocator_call taken_by = allocator_call::none;
};

/// Returns: an id that no registry has had.
[[nodiscard]] std::uint64_t new_holder_id() noexcept;

/// Effects: leaves a message for the registry with the id `holder`.
void post_message(std::uint64_t holder, const memory_below& taken) noexcept;

/// Effects: takes a message for this registry, if there is one.
[[nodiscard]] std::optional<memory_below> take_message(std::uint64_t holder) noexcept;

}} // namespace mallard::checking::MALLARD_LIBRARY

/// Word of memory that an upstream took back from a checked allocator which has not been released itself.
///
///     upstream.release()  --leave_word_for()-->  [ .. | holder, call, memory | .. ]
///                                                   --take_word_for()-->  the holder's next call
///
/// Data model: the last 64 words of the process, in a ring. An allocator that was winked out never asks for
/// the word about it; what nobody asks for is overwritten.
/// Threads: each word is written and read by atomic operations, the holder's id last and first, so that no lock is
/// held over a fork and nobody waits. A word that is overwritten while it is read is not found, but where the 64th
/// after it is for the same holder: then that one may be found with a bound of the other.
#pragma once

#include <mallard/checking/misuse.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace mallard::checking::inline MALLARD_LIBRARY {

struct memory_below {
    const std::byte* begin = nullptr;
    const std::byte* end = nullptr;
    allocator_call taken_by = allocator_call::none;
};

/// Returns: an id that no registry has had.
[[nodiscard]] std::uint64_t new_holder_id() noexcept;

/// Effects: leaves word for the registry with the id `holder`.
void leave_word_for(std::uint64_t holder, const memory_below& taken) noexcept;

/// Effects: takes the word left for this registry, if there is one.
[[nodiscard]] std::optional<memory_below> take_word_for(std::uint64_t holder) noexcept;

} // namespace mallard::checking::inline MALLARD_LIBRARY

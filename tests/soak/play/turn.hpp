/// One turn of a soak: a subject from its beginning to its end, on a ledger of its own.
#pragma once

#include "soak/play/subject.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace soak {

/// What a turn has at most, where its kind is not slow.
inline constexpr std::size_t operations_of_a_turn = 50'000;

struct outcome {
    std::size_t operations = 0;
    std::string fault; ///< empty where nothing was wrong
};

/// Effects: makes a subject of that kind and plays with it, by four threads in some turns of one that threads may
/// share; then frees all blocks or releases them, ends the subject, and looks at the ledger. The seed decides about
/// all of it, but for how threads overtake each other.
[[nodiscard]] outcome play_turn(const kind& k, std::uint64_t seed, std::size_t most_operations);

} // namespace soak

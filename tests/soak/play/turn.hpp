/// One turn of a soak: a subject from its beginning to its end, on a ledger of its own.
#pragma once

#include "soak/play/subject.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace soak {

/// The bounds of a turn of a kind that is not slow.
inline constexpr std::size_t operations_of_a_turn = 50'000;

struct outcome {
    std::size_t operations = 0;
    std::string fault; ///< empty where nothing was wrong
};

/// Effects: makes a subject of that kind and plays with it, in some turns by four threads if threads may share it; then
/// frees all blocks or releases them, ends the subject, and looks at the ledger. The seed decides about everything but
/// the order of the threads.
[[nodiscard]] outcome play_turn(const kind& k, std::uint64_t seed, std::size_t most_operations);

} // namespace soak

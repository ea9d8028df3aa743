/// One turn of random operations: a subject from its beginning to its end, on a ledger of its own.
#pragma once

#include "model/kinds.hpp"
#include "model/player.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace model {

struct outcome {
    std::size_t operations = 0;
    std::string fault; ///< empty if there was none
};

/// Effects: makes a subject of that kind and plays with it, in some turns by four threads if threads may share it; then
/// frees all blocks or releases them, ends the subject, and looks at the ledger. The seed decides about everything but
/// the order of the threads.
[[nodiscard]] outcome play_turn(const kind& k, std::uint64_t seed, std::size_t most_operations);

/// Effects: the same with the operations that the bytes decide, in one thread, with thorough checks by `speed`.
[[nodiscard]] outcome play_bytes(const kind& k, std::span<const std::uint8_t> bytes,
                                 const pace& speed = thorough, bool releases = true);

} // namespace model

/// The place from which a walk begins.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"

namespace mallard::recorder::unwind {

/// The frame of a function that the program calls instead of the system's.
struct caller {
    address slot;       ///< where the return address stands
    address frame_base; ///< rbp in the caller

    /// Requires: the calling function has a frame pointer.
    [[gnu::always_inline]] static caller of(const void* frame) noexcept {
        const auto* const words = static_cast<const address*>(frame);
        return {reinterpret_cast<address>(words + 1), words[0]};
    }
};

} // namespace mallard::recorder::unwind

/// The frame from which a walk begins.
#pragma once

#include "recorder/system/byte_cursor.hpp"

namespace mallard::recorder::unwind {

/// The caller of an interposed function.
struct caller {
    address slot;       ///< location of the return address
    address frame_base; ///< rbp in the caller

    /// Requires: the calling function has a frame pointer.
    [[gnu::always_inline]] static caller from_frame(const void* frame) noexcept {
        const auto* const words = static_cast<const address*>(frame);
        return {reinterpret_cast<address>(words + 1), words[0]};
    }
};

} // namespace mallard::recorder::unwind

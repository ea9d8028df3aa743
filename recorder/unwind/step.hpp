/// One step outwards with all registers: slow, and right for each frame that has a description.
#pragma once

#include "recorder/dwarf/expression.hpp"
#include "recorder/dwarf/registers.hpp"
#include "recorder/unwind/readable_range.hpp"

namespace mallard::recorder::unwind {

enum class step_result : std::uint8_t {
    caller,       ///< the registers are those of the frame outside
    outermost,    ///< the description says that nothing called the function
    unknown_code, ///< no description has the address
    unreadable,   ///< a word of the stack that is needed cannot be read, or a register is not known
};

struct frame {
    registers now;
    /// Where the address in `now` was read; 0 in the first frame.
    address slot = 0;
    /// Where the frame inside saved rbp; 0 if it left rbp alone.
    address saved_rbp_at = 0;
    /// True if the address in `now` is the next instruction of an interrupted function; false if a call returns to it.
    bool interrupted = false;
};

/// Effects: `at` becomes the frame outside of it if the result is `caller`. The words that decided so are in `read`.
step_result step_out(frame& at, readable_range& readable, words_read& read) noexcept;

/// Effects: walks from its own caller outwards, until a frame's address was read at `slot`.
/// Returns: true if there is one; `found` is that frame, with the registers that functions keep.
bool frame_at(address slot, readable_range& readable, frame& found) noexcept;

} // namespace mallard::recorder::unwind

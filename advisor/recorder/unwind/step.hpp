/// One step outwards with all registers: slow, but correct for each frame with unwind information.
#pragma once

#include "recorder/dwarf/expression.hpp"
#include "recorder/system/readable_range.hpp"

namespace mallard::recorder::unwind {

enum class step_result : std::uint8_t {
    caller,       ///< the registers are those of the caller
    outermost,    ///< the description marks the function as outermost
    unknown_code, ///< no description covers the address
    unreadable,   ///< a required word of the stack cannot be read, or a register is unknown
};

struct frame {
    registers regs;
    /// Where the return address in `regs` was read; 0 in the first frame.
    address slot = 0;
    /// Where the callee saved rbp; 0 if it did not.
    address saved_rbp_at = 0;
    /// True if rip in `regs` is the next instruction of an interrupted function; false if a call returns to it.
    bool interrupted = false;
};

/// Effects: replaces `current` by its caller's frame if the result is `caller`. `read` collects the words that determined it.
step_result step_out(frame& current, readable_range& readable, words_read& read) noexcept;

/// Effects: unwinds from the calling function to the frame whose return address was read at `slot`.
/// Returns: true if the frame exists; `result` is the frame, with the callee-saved registers.
bool frame_at(address slot, readable_range& readable, frame& result) noexcept;

} // namespace mallard::recorder::unwind

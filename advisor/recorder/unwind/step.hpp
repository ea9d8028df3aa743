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
    /// Below the canonical frame address of the callee; 0 in the first frame, or if the return address was not in memory.
    address slot = 0;
    [[no_unique_address]] arch::return_location saved_return;
    /// Where the callee saved the frame pointer; 0 if it did not.
    address saved_frame_pointer_at = 0;
    /// True if the program counter in `regs` is the next instruction of an interrupted function; false if a call returns to it.
    bool interrupted = false;
};

/// Returns: true if `pc` is the trampoline of a signal handler that only its code shows.
bool returns_from_signal(address pc) noexcept;

/// Effects: replaces `current` by its caller's frame if the result is `caller`. `read` collects the words that determined it.
step_result step_out(frame& current, readable_range& readable, words_read& read) noexcept;

/// Effects: unwinds from the calling function to the frame whose return address was read at `slot`.
/// Returns: true if the frame exists; `result` is the frame, with the callee-saved registers.
bool frame_at(address slot, readable_range& readable, frame& result) noexcept;

} // namespace mallard::recorder::unwind

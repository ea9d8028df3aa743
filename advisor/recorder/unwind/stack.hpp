/// A thread's stack at its last event, and the update to the stack of the next event.
///
///     level 0        outermost: main's caller
///     level 1        slot: 8 below the callee's canonical frame address       return address: from the slot (x86-64), or
///                                                                             from where the callee saved it (aarch64)
///     ...
///     level depth-1  innermost: the caller of malloc
///
/// Consecutive events share most of their stacks. `update` unwinds from the caller of malloc to the first cached level: one with
/// equal slot and return address, and equal frame pointer if an outer frame needs it. The outer levels depend on words of the
/// stack only, but these may have changed: the function may have returned, and its caller may have called it again from another
/// address. So the words of the cached levels are compared, from the inside outwards, and the walk resumes at the first
/// one that differs.
///
/// An update must not cost more on a deeper stack, so a stack of more than `most_compared` levels is compared in part:
///
///     | outer_levels | ... part_levels of the middle ... | inner_levels | first cached level of the walk
///
/// The middle part moves outwards from update to update, and restarts at its inner end. A change in the middle below
/// unchanged outer and inner levels is found when the part reaches it; until then the stale levels remain. All levels
/// inside of the change have returned since the middle was last compared, so unwinding them again costs no more than
/// their calls did.
///
/// Invariants: in the outer `certain` levels `slot` falls from level 0 inwards, and each word that determines a level's position
/// is in `levels` or in `watched`. The remaining levels are inside of a signal frame, or of a frame that needs another register:
/// the next update unwinds them again. A stack of more than `most_levels` lacks the outer ones, and its end is `too_deep`.
/// Owner: one thread. The class only reads the stack.
#pragma once

#include "recorder/dwarf/expression.hpp"
#include "recorder/system/byte_cursor.hpp"
#include "recorder/system/readable_range.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "recorder/unwind/step.hpp"
#include "trace/raw_record.hpp"

#include <cstdint>

namespace mallard::recorder::unwind {

// The frame from which a walk begins.

/// The caller of an interposed function.
struct caller {
    address slot;       ///< 8 below the canonical frame address of the interposed function
    address frame_base; ///< the frame pointer in the caller
    [[no_unique_address]] arch::return_location saved_return;

    /// Requires: the calling function has a frame pointer.
    [[gnu::always_inline]] static caller from_frame(arch::call_frame frame) noexcept {
        const address* const words = arch::frame_record(frame);
        return {arch::frame_slot(frame), words[0],
                arch::return_location(reinterpret_cast<address>(words + 1))};
    }

    [[nodiscard, gnu::always_inline]] address return_address() const noexcept {
        return arch::code_address(*reinterpret_cast<const address*>(saved_return.at(slot)));
    }
};

using trace::is_complete;
using trace::stack_end;

class stack {
public:
    static constexpr unsigned most_levels = 1U << 20;

    // A deeper stack is compared in part: as many levels as fit into a few hundred cycles.
    static constexpr unsigned inner_levels = 128;
    static constexpr unsigned outer_levels = 32;
    static constexpr unsigned part_levels = 16;
    static constexpr unsigned most_compared = inner_levels + outer_levels;

    struct level {
        address slot;
        address return_address;
        [[no_unique_address]] arch::return_location saved_return;

        /// Returns: the return address that memory has now.
        [[nodiscard, gnu::always_inline]] address current() const noexcept {
            return arch::code_address(*reinterpret_cast<const address*>(saved_return.at(slot)));
        }
    };

    /// Returns: false if there is no memory.
    bool open() noexcept;

    /// Effects: unwinds the stack of a call.
    /// Returns: the number of outer levels that did not change.
    /// Complexity: O(levels that returned or were called), and a comparison of at most `most_compared + part_levels` levels.
    unsigned update(caller from, rule_table& rules) noexcept;

    /// Effects: drops all levels; the next update unwinds the entire stack.
    void forget() noexcept;

    [[nodiscard]] unsigned depth() const noexcept { return depth_; }
    [[nodiscard]] const level& at(unsigned index) const noexcept { return levels_[index]; }
    /// The level's return address in a trace, with `trace::interrupted_level` if the function was interrupted.
    [[nodiscard]] address marked_address(unsigned index) const noexcept {
        return arch::address_in_trace(levels_[index].return_address) |
               (states_[index].interrupted ? trace::interrupted_level : 0);
    }
    [[nodiscard]] bool is_open() const noexcept { return levels_ != nullptr; }
    [[nodiscard]] stack_end end() const noexcept { return end_; }
    /// Returns: the number of levels from the outermost to the innermost one whose slot is not below `slot`.
    [[nodiscard]] unsigned levels_from(address slot) const noexcept;
    /// Effects: begins an event that comes from `slot`, and only reads words of the stack.
    void begin_reading(address slot) noexcept {
        if (!readable_.begin_event(slot)) [[unlikely]] {
            certain_ = 0;
        }
    }
    /// Returns: true if the word at `word` can be read in this event.
    [[nodiscard]] bool can_read(address word) noexcept { return readable_.holds(word); }
    /// Effects: asks the kernel now about the pages that later updates read. The next update unwinds the entire stack: this one
    /// may belong to no event, and the trace would lack it.
    void prepare_for_sandbox() noexcept {
        certain_ = 0;
        if (readable_.end() != 0) {
            readable_.reach_down();
        }
    }
    /// Returns: true if `slot` is on the stack of the last update, in the range that is known.
    [[nodiscard]] bool holds(address slot) const noexcept {
        return slot >= readable_.begin() && slot < readable_.end();
    }

private:
    /// State of a level besides its two words.
    struct level_state {
        address frame_base;             ///< the frame pointer in this level
        address saved_frame_pointer_at; ///< where the function saved the frame pointer, or 0
        unsigned watched_end;    ///< watched words of this level and the outer ones, once it is in `levels`
        bool by_frame_pointer;   ///< the function's frame is computed from the frame pointer
        bool uses_frame_pointer; ///< this frame or an outer one is computed from this level's frame pointer
        bool interrupted;
    };
    /// A word, not a return address, that determines the position of a level.
    struct watched_word {
        address at;
        address value;
        unsigned at_level; ///< the level whose function's description reads the word
    };
    struct position {
        address slot;
        address return_address;
        address frame_base;
        address stack_pointer;
        bool interrupted;
        [[no_unique_address]] arch::return_location saved_return;
    };
    static constexpr unsigned unchanged = ~0U;

    // Each event runs these for a few levels, so they are inlined into `update`.
    [[gnu::always_inline]] inline unsigned walk(position pos, unsigned known, rule_table& rules) noexcept;
    [[nodiscard, gnu::always_inline]] inline bool matches(unsigned index, const position& pos) const noexcept;
    [[nodiscard, gnu::always_inline]] inline unsigned first_changed(unsigned known) noexcept;
    [[nodiscard, gnu::noinline]] unsigned first_changed_by_parts(unsigned known) noexcept;
    [[nodiscard, gnu::always_inline]] inline unsigned innermost_changed(unsigned begin,
                                                                        unsigned end) const noexcept;
    [[gnu::always_inline]] inline bool push_level(level added, level_state state) noexcept;
    [[gnu::always_inline]] inline bool unwind_level(position& pos, rule_table& rules) noexcept;
    [[gnu::always_inline]] inline bool apply_rule(rule unwind_rule, position& pos,
                                                  const rule_table& rules) noexcept;
    [[nodiscard, gnu::noinline]] unsigned innermost_changed_watched(unsigned begin, unsigned end,
                                                                    unsigned changed) const noexcept;
    [[gnu::noinline]] bool carry_over(unsigned known, unsigned changed, position& pos) noexcept;
    [[gnu::noinline]] bool unwind_by_description(position& pos) noexcept;
    [[gnu::always_inline]] inline bool is_address(address word) noexcept;
    bool stop(stack_end reason) noexcept;
    [[gnu::always_inline]] inline unsigned install(unsigned kept) noexcept;
    [[gnu::noinline]] unsigned drop_outer(unsigned kept) noexcept;
    [[gnu::noinline]] void move_watched(unsigned new_level, bool with_frame_pointer) noexcept;
    void push_watched(const watched_word& word) noexcept;
    void push_new_watched(address at, address value) noexcept;
    [[nodiscard]] unsigned watched_outside(unsigned index) const noexcept {
        return index == 0 ? 0 : states_[index - 1].watched_end;
    }
    [[nodiscard]] bool commit(unsigned levels) noexcept;

    level* levels_ = nullptr;
    level_state* states_ = nullptr;
    watched_word* watched_ = nullptr;
    // The new levels of an update, the innermost one first.
    level* new_levels_ = nullptr;
    level_state* new_states_ = nullptr;
    watched_word* new_watched_ = nullptr;
    unsigned depth_ = 0;
    unsigned added_ = 0;
    unsigned certain_ = 0;
    unsigned uncertain_ = 0; ///< new levels, from the innermost one
    unsigned watched_count_ = 0;
    unsigned new_watched_count_ = 0;
    unsigned compared_from_ =
        0;              ///< outermost compared level of the middle since the part restarted at its inner end
    unsigned room_ = 0; ///< capacity, in levels and in watched words
    std::uint32_t epoch_ = 0;
    stack_end end_ = stack_end::outermost;
    readable_range readable_;
};

} // namespace mallard::recorder::unwind

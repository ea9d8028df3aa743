/// The stack of a thread at its last event, and the way to that of the next event.
///
///     level 0        outermost: main's caller
///     level 1        slot: where the return address stands       return address: what stood there
///     ...
///     level depth-1  innermost: the caller of malloc
///
/// Two events share most of their stacks. `update` walks from the caller of malloc outwards, until it meets a level that
/// it knows: the slot, the return address, and rbp if a frame outside needs it. What it would find from there on depends
/// on words of the stack alone, and they may have changed: the function that stands there may have returned, and its
/// caller may have called it again from another place. So the words outside are compared, from the inside outwards.
/// The walk goes on at the first one that differs.
///
/// An update must not cost more on a deeper stack, so one that has more than `most_compared` levels is compared in part:
///
///     | outer_levels | ... part_levels of the middle ... | inner_levels | where the walk met a known level
///
/// The part of the middle moves outwards from update to update, and begins again at its inner end. A middle that
/// changed below outer and inner levels that did not is found then; until it is, its former levels stay. All of the
/// levels inside of the difference returned since the middle was compared last, so walking them again costs no more than
/// calling them did.
///
/// Invariants: of the outer `certain` levels `slot` falls from level 0 inwards, and each word that decided where a level is
/// stands in `levels` or in `others`. The others are inside of a signal frame, or of one that needs a register: the next update
/// walks them again. A stack of more than `most_levels` lacks its outer ones, and its end is `too_deep`.
/// Owner: one thread. It only reads the stack.
#pragma once

#include "recorder/dwarf/byte_cursor.hpp"
#include "recorder/dwarf/expression.hpp"
#include "recorder/unwind/readable_range.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "recorder/unwind/step.hpp"
#include "trace/raw_record.hpp"

#include <cstdint>

namespace mallard::recorder::unwind {

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
    };

    /// Returns: false if there is no memory.
    bool open() noexcept;

    /// Effects: this becomes the stack of a call whose return address stands at `slot`, in a frame in which rbp has the
    /// value `frame_base`.
    /// Returns: the number of outer levels that are the same as before.
    /// Complexity: O(levels that went or came), and a comparison of at most `most_compared + part_levels` levels.
    unsigned update(address slot, address frame_base, rule_table& rules) noexcept;

    /// Effects: knows nothing; the next update walks the whole stack.
    void forget() noexcept;

    [[nodiscard]] unsigned depth() const noexcept { return depth_; }
    [[nodiscard]] const level& at(unsigned which) const noexcept { return levels_[which]; }
    /// The level's return address, with `trace::interrupted_level` if the function was interrupted there.
    [[nodiscard]] address address_of(unsigned which) const noexcept {
        return levels_[which].return_address | (rests_[which].interrupted ? trace::interrupted_level : 0);
    }
    [[nodiscard]] bool is_open() const noexcept { return levels_ != nullptr; }
    [[nodiscard]] stack_end end() const noexcept { return end_; }
    /// Returns: the innermost level whose slot is not below `slot`, and 1; 0 if there is none.
    [[nodiscard]] unsigned levels_from(address slot) const noexcept;
    /// Returns: true if the word at `word` can be read in an event that comes from `slot`.
    [[nodiscard]] bool can_read(address slot, address word) noexcept {
        if (!readable_.begin_event(slot)) [[unlikely]] {
            certain_ = 0;
        }
        return readable_.holds(word);
    }
    /// Effects: asks the kernel now for what later updates read. The next update walks the whole stack, because this one may
    /// be of no event, and then the trace does not have it.
    void prepare_for_sandbox() noexcept {
        certain_ = 0;
        if (readable_.end() != 0) {
            readable_.reach_down();
        }
    }
    /// Returns: true if `slot` is on the stack of the last update, as far as it is known.
    [[nodiscard]] bool holds(address slot) const noexcept {
        return slot >= readable_.begin() && slot < readable_.end();
    }

private:
    /// What a level needs beside its two words.
    struct rest {
        address frame_base;   ///< rbp in this level
        address saved_rbp_at; ///< where this level's function saved rbp; 0 if it did not
        unsigned others;      ///< other words of this level and the levels outside, once it is in `levels`
        bool by_rbp;          ///< the function's frame is found by rbp
        bool uses_rbp;        ///< a frame from here outwards is found by the value that rbp has here
        bool interrupted;
    };
    struct other_word {
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
    };
    static constexpr unsigned unchanged = ~0U;

    // Each event runs these for a few levels, so they are inlined into `update`.
    [[gnu::always_inline]] inline unsigned walk(position now, unsigned known, rule_table& rules) noexcept;
    [[nodiscard, gnu::always_inline]] inline bool matches(unsigned which, const position& now) const noexcept;
    [[nodiscard, gnu::always_inline]] inline unsigned first_changed(unsigned known) noexcept;
    [[nodiscard, gnu::noinline]] unsigned first_changed_by_parts(unsigned known) noexcept;
    [[nodiscard, gnu::always_inline]] inline unsigned innermost_changed(unsigned begin,
                                                                        unsigned end) const noexcept;
    [[gnu::always_inline]] inline bool add(level which, rest its) noexcept;
    [[gnu::always_inline]] inline bool go_out(position& now, rule_table& rules) noexcept;
    [[gnu::always_inline]] inline bool go_out_by(rule way, position& now, const rule_table& rules) noexcept;
    [[nodiscard, gnu::noinline]] unsigned innermost_changed_other(unsigned begin, unsigned end,
                                                                  unsigned changed) const noexcept;
    [[gnu::noinline]] bool carry_over(unsigned known, unsigned changed, position& now) noexcept;
    [[gnu::noinline]] bool go_out_slowly(position& now) noexcept;
    [[gnu::always_inline]] inline bool is_address(address word) noexcept;
    bool stop(stack_end why) noexcept;
    [[gnu::always_inline]] inline unsigned install(unsigned kept) noexcept;
    [[gnu::noinline]] unsigned drop_outer(unsigned kept) noexcept;
    [[gnu::noinline]] void add_others(unsigned new_level, bool with_saved_rbp) noexcept;
    void add_other(const other_word& word) noexcept;
    void add_new_other(address at, address value) noexcept;
    [[nodiscard]] unsigned others_before(unsigned which) const noexcept {
        return which == 0 ? 0 : rests_[which - 1].others;
    }
    [[nodiscard]] bool commit(unsigned levels) noexcept;

    level* levels_ = nullptr;
    rest* rests_ = nullptr;
    other_word* others_ = nullptr;
    // The new levels of an update, the innermost one first.
    level* new_levels_ = nullptr;
    rest* new_rests_ = nullptr;
    other_word* new_others_ = nullptr;
    unsigned depth_ = 0;
    unsigned added_ = 0;
    unsigned certain_ = 0;
    unsigned uncertain_ = 0; ///< new levels, from the innermost one
    unsigned other_count_ = 0;
    unsigned new_other_count_ = 0;
    unsigned compared_from_ =
        0;              ///< the outermost level of the middle that was compared since its inner end was
    unsigned room_ = 0; ///< levels, and other words, that there is memory for
    std::uint32_t epoch_ = 0;
    stack_end end_ = stack_end::outermost;
    readable_range readable_;
};

} // namespace mallard::recorder::unwind

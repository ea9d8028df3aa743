/// The scopes, instances and functions that a thread is in: each end is recorded, even if the program left it by
/// longjmp, or by an exception for which its compiler emits no call.
///
/// Data model: a stack of marks, each with the call of its function, if known. A mark was abandoned if its call is no longer on
/// the stack of an event, or if an event comes from a slot above the mark's, because stacks grow down. Marks without
/// room are only counted; their ends come first.
/// Owner: one thread.
#pragma once

#include "recorder/unwind/stack.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder {

struct open_mark {
    unwind::address slot;   ///< slot of the call that began the mark
    std::uint64_t id;       ///< the site, the instance, or the function
    std::uint32_t name;     ///< of a scope
    trace::record_kind end; ///< the kind of the record that ends it
    unsigned level = 0;     ///< 1 + the level of `call` on the stack; 0 if the stack was not unwound
    /// The call of the function that has the mark; the slot is 0 if unknown.
    unwind::stack::level call{0, 0, {}};
};

class open_marks {
public:
    static constexpr unsigned none = ~0U;

    [[nodiscard]] unsigned count() const noexcept { return count_; }

    /// Returns: true if an event from `slot`, whose stack has `kept` unchanged levels, may have abandoned a mark.
    [[nodiscard]] bool may_have_abandoned(unwind::address slot, unsigned kept) const noexcept {
        return slot > innermost_slot_ || kept < innermost_level_;
    }

    void push(const open_mark& mark) noexcept {
        if (count_ == most) [[unlikely]] {
            ++without_room_;
            return;
        }
        marks_[count_++] = mark;
        resume();
    }

    open_mark pop() noexcept {
        without_room_ = 0;
        const open_mark ended = marks_[--count_];
        resume();
        return ended;
    }

    /// Effects: drops a mark without room.
    /// Returns: false if there was none.
    bool pop_without_room() noexcept { return without_room_ != 0 && without_room_-- != 0; }

    /// Returns: the place of the innermost mark with this end and `id`, or `none`.
    [[nodiscard]] unsigned find(trace::record_kind end, std::uint64_t id) const noexcept {
        for (unsigned place = count_; place-- > 0;) {
            if (marks_[place].id == id && marks_[place].end == end) {
                return place;
            }
        }
        return none;
    }

    /// Returns: the place of a mark of the same site or function in the same frame. It was abandoned: a block does not begin
    /// twice. An instance may be entered twice.
    [[nodiscard]] unsigned find_earlier(const open_mark& mark) const noexcept {
        for (unsigned place = count_; place-- > 0 && marks_[place].slot == mark.slot;) {
            if (marks_[place].id == mark.id && marks_[place].end == mark.end &&
                mark.end != trace::record_kind::instance_leave) {
                return place;
            }
        }
        return none;
    }

    /// Returns: the place of the outermost mark abandoned before an event from `slot` with the stack `current`, or `none`.
    /// Marks of another stack are not abandoned.
    [[nodiscard]] unsigned find_abandoned(unwind::address slot, const unwind::stack& current) const noexcept {
        unsigned outermost = none;
        for (unsigned place = count_; place-- > 0 && current.holds(marks_[place].slot);) {
            const open_mark& mark = marks_[place];
            if (mark.slot < slot || (mark.call.slot != 0 && !is_on(current, mark))) {
                outermost = place;
            } else if (mark.call.slot != 0) {
                break;
            }
        }
        return outermost;
    }

    /// Returns: the place of the outermost abandoned mark when the thread is in a function that `call` called; `current` is
    /// the stack of the last event.
    [[nodiscard]] unsigned find_abandoned(const unwind::stack::level& call,
                                          const unwind::stack& current) const noexcept {
        unsigned outermost = none;
        for (unsigned place = count_; place-- > 0;) {
            const unwind::stack::level& candidate = marks_[place].call;
            if (candidate.slot == 0) {
                continue;
            }
            // Functions inlined into one another share one call.
            const bool within =
                candidate.slot > call.slot ||
                (candidate.slot == call.slot && candidate.return_address == call.return_address);
            if (within || !current.holds(candidate.slot) || !current.holds(call.slot)) {
                break;
            }
            outermost = place;
        }
        return outermost;
    }

    /// Effects: suspends the check for abandoned marks while an end is written, until the next push, pop or `resume`.
    void suspend() noexcept {
        innermost_slot_ = no_slot;
        innermost_level_ = 0;
    }
    void resume() noexcept {
        suspend();
        if (count_ == 0) {
            return;
        }
        const open_mark& innermost = marks_[count_ - 1];
        innermost_slot_ = innermost.slot;
        // The level of a function's call is unknown, so each event searches for it.
        innermost_level_ = innermost.level != 0 ? innermost.level : innermost.call.slot != 0 ? none : 0;
    }

    void clear() noexcept {
        count_ = without_room_ = 0;
        resume();
    }

private:
    static constexpr unsigned most = 4096;
    static constexpr unwind::address no_slot = ~unwind::address{0};

    [[nodiscard]] static bool is_on(const unwind::stack& stack, const open_mark& mark) noexcept {
        const unsigned level = mark.level != 0 ? mark.level : stack.levels_from(mark.call.slot);
        return level > 0 && level <= stack.depth() && stack.at(level - 1).slot == mark.call.slot &&
               stack.at(level - 1).return_address == mark.call.return_address;
    }

    unwind::address innermost_slot_ = no_slot;
    unsigned innermost_level_ = 0;
    unsigned count_ = 0;
    unsigned without_room_ = 0;
    std::array<open_mark, most> marks_; ///< memory is used up to `count_`
};

} // namespace mallard::recorder

/// The scopes, instances and functions in which a thread is: the end of each is recorded, also if the program left it by
/// longjmp, or by an exception that its compiler did not tell of.
///
/// Data model: a stack of marks, each with the call of its function, if that is known. A mark was left if the call is not on
/// the stack of an event any more, or if an event comes from a slot above the mark's, because stacks grow down. Marks that
/// find no room are only counted; their ends come first.
/// Owner: one thread.
#pragma once

#include "recorder/unwind/stack.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <cstdint>

namespace mallard::recorder {

struct open_mark {
    unwind::address slot;   ///< where the return address of the call stood that told of the beginning
    std::uint64_t what;     ///< the site, the instance, or the function
    std::uint32_t name;     ///< of a scope
    trace::record_kind end; ///< the kind of the record that ends it
    unsigned level = 0;     ///< on the stack, of `call`, and 1; 0 if the stack was not walked
    /// Of the function in which the mark is; the slot is 0 if that is not known.
    unwind::stack::level call{0, 0};
};

class open_marks {
public:
    static constexpr unsigned none = ~0U;

    [[nodiscard]] unsigned count() const noexcept { return count_; }

    /// Returns: true if an event from `slot`, whose stack has that many levels of the one before, may have left a mark.
    [[nodiscard]] bool may_be_left(unwind::address slot, unsigned kept) const noexcept {
        return slot > innermost_slot_ || kept < innermost_level_;
    }

    void push(const open_mark& mark) noexcept {
        if (count_ == most) [[unlikely]] {
            ++without_room_;
            return;
        }
        marks_[count_++] = mark;
        go_on();
    }

    open_mark pop() noexcept {
        without_room_ = 0;
        const open_mark gone = marks_[--count_];
        go_on();
        return gone;
    }

    /// Effects: forgets a mark that had no room.
    /// Returns: false if there was none.
    bool pop_without_room() noexcept { return without_room_ != 0 && without_room_-- != 0; }

    /// Returns: the place of the innermost mark that ends in that way; `none` if there is none.
    [[nodiscard]] unsigned find(trace::record_kind end, std::uint64_t what) const noexcept {
        for (unsigned each = count_; each-- > 0;) {
            if (marks_[each].what == what && marks_[each].end == end) {
                return each;
            }
        }
        return none;
    }

    /// Returns: the place of a mark of the same site or function in the same frame. It was left: a block does not begin
    /// twice. An instance may be entered twice.
    [[nodiscard]] unsigned find_earlier(const open_mark& mark) const noexcept {
        for (unsigned each = count_; each-- > 0 && marks_[each].slot == mark.slot;) {
            if (marks_[each].what == mark.what && marks_[each].end == mark.end &&
                mark.end != trace::record_kind::instance_leave) {
                return each;
            }
        }
        return none;
    }

    /// Returns: the place of the outermost mark that was left when an event comes from `slot`, with the stack `now`; `none`
    /// if none was. The marks of another stack were not left.
    [[nodiscard]] unsigned find_left(unwind::address slot, const unwind::stack& now) const noexcept {
        unsigned left = none;
        for (unsigned each = count_; each-- > 0 && now.holds(marks_[each].slot);) {
            const open_mark& mark = marks_[each];
            if (mark.slot < slot || (mark.call.slot != 0 && !is_on(now, mark))) {
                left = each;
            } else if (mark.call.slot != 0) {
                break;
            }
        }
        return left;
    }

    /// Returns: the place of the outermost mark that was left when its thread is in a function that `call` called; `now` is
    /// the stack of the last event.
    [[nodiscard]] unsigned find_left(const unwind::stack::level& call,
                                     const unwind::stack& now) const noexcept {
        unsigned left = none;
        for (unsigned each = count_; each-- > 0;) {
            const unwind::stack::level& its = marks_[each].call;
            if (its.slot == 0) {
                continue;
            }
            // Functions that were inlined into one another have one call.
            const bool within =
                its.slot > call.slot || (its.slot == call.slot && its.return_address == call.return_address);
            if (within || !now.holds(its.slot) || !now.holds(call.slot)) {
                break;
            }
            left = each;
        }
        return left;
    }

    /// Effects: no mark seems to be left, until the next push, pop or `go_on`: its end is being written.
    void wait() noexcept {
        innermost_slot_ = no_slot;
        innermost_level_ = 0;
    }
    void go_on() noexcept {
        wait();
        if (count_ == 0) {
            return;
        }
        const open_mark& innermost = marks_[count_ - 1];
        innermost_slot_ = innermost.slot;
        // The level of a function's call is not known, so each event looks for it.
        innermost_level_ = innermost.level != 0 ? innermost.level : innermost.call.slot != 0 ? none : 0;
    }

    void clear() noexcept {
        count_ = without_room_ = 0;
        go_on();
    }

private:
    static constexpr unsigned most = 4096;
    static constexpr unwind::address no_slot = ~unwind::address{0};

    [[nodiscard]] static bool is_on(const unwind::stack& now, const open_mark& mark) noexcept {
        const unsigned level = mark.level != 0 ? mark.level : now.levels_from(mark.call.slot);
        return level > 0 && level <= now.depth() && now.at(level - 1).slot == mark.call.slot &&
               now.at(level - 1).return_address == mark.call.return_address;
    }

    unwind::address innermost_slot_ = no_slot;
    unsigned innermost_level_ = 0;
    unsigned count_ = 0;
    unsigned without_room_ = 0;
    std::array<open_mark, most> marks_; ///< memory is used up to `count_`
};

} // namespace mallard::recorder

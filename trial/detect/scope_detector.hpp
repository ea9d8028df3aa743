/// Tells if a thread is inside of the scope, from its stack.
///
/// Data model: the thread's stack at its last request, the outermost level that returns into the scope's code, and the
/// outermost one inside of it that returns into code which is left out.
/// Invariant: levels outside of `level_` do not return into the scope; `level_` is `none` if no level does. So for `left_out_`
/// and the levels inside of `level_`.
/// Owner: its thread.
#pragma once

#include "recorder/unwind/caller.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "recorder/unwind/stack.hpp"
#include "trial/detect/scope_code.hpp"

namespace mallard::trial {

class scope_detector {
public:
    bool open() noexcept { return stack_.open(); }
    void forget() noexcept {
        stack_.forget();
        level_ = left_out_ = none;
    }

    void prepare_for_sandbox() noexcept { stack_.prepare_for_sandbox(); }

    /// Returns: true if the call was made inside of the scope, and not from code that is left out.
    /// Complexity: that of `stack::update`. A deep stack, of which the middle changed alone, counts as inside or outside as before
    /// until `update` finds the change.
    bool inside(recorder::unwind::caller from, recorder::unwind::rule_table& rules, scope_code& code,
                scope_code& except) noexcept {
        const unsigned kept = stack_.update(from.slot, from.frame_base, rules);
        if (level_ >= kept) {
            level_ = first(kept, code);
            left_out_ = none;
        }
        if (level_ == none || except.empty()) [[likely]] {
            return level_ != none;
        }
        if (left_out_ >= kept) {
            left_out_ = first(level_ < kept ? kept : level_ + 1, except);
        }
        return left_out_ == none;
    }

private:
    static constexpr unsigned none = ~0U;

    /// Returns: the outermost level from `which` on that returns into the code; `none` if there is none.
    unsigned first(unsigned which, scope_code& code) noexcept {
        for (; which < stack_.depth(); ++which) {
            if (code.has(stack_.at(which).return_address)) {
                return which;
            }
        }
        return none;
    }

    recorder::unwind::stack stack_;
    unsigned level_ = none;
    unsigned left_out_ = none;
};

} // namespace mallard::trial

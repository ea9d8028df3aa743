/// Decides from a thread's stack whether the thread is inside of the scope.
///
/// Data model: the thread's stack at its last request, the outermost level that returns into the scope's code, and
/// the outermost level inside of it that returns into excluded code.
/// Invariant: levels outside of `level_` do not return into the scope; `level_` is `none` if no level does. The same
/// holds for `excluded_level_` and the levels inside of `level_`.
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
        level_ = excluded_level_ = none;
    }

    void prepare_for_sandbox() noexcept { stack_.prepare_for_sandbox(); }

    /// Returns: true if the call was made inside of the scope, and not from excluded code.
    /// Complexity: that of `stack::update`. A deep stack with a change only in its middle keeps its previous answer
    /// until `update` finds the change.
    bool inside(recorder::unwind::caller caller, recorder::unwind::rule_table& rules, scope_code& code,
                scope_code& except) noexcept {
        const unsigned kept = stack_.update(caller.slot, caller.frame_base, rules);
        if (level_ >= kept) {
            level_ = first(kept, code);
            excluded_level_ = none;
        }
        if (level_ == none || except.empty()) [[likely]] {
            return level_ != none;
        }
        if (excluded_level_ >= kept) {
            excluded_level_ = first(level_ < kept ? kept : level_ + 1, except);
        }
        return excluded_level_ == none;
    }

private:
    static constexpr unsigned none = ~0U;

    /// Returns: the outermost level from `index` on that returns into the code; `none` if there is none.
    unsigned first(unsigned index, scope_code& code) noexcept {
        for (; index < stack_.depth(); ++index) {
            if (code.has(stack_.at(index).return_address)) {
                return index;
            }
        }
        return none;
    }

    recorder::unwind::stack stack_;
    unsigned level_ = none;
    unsigned excluded_level_ = none;
};

} // namespace mallard::trial

/// Tells if a thread is inside of the scope, from its stack.
///
/// Data model: the thread's stack at its last request, and the outermost level that returns into the scope's code.
/// Invariant: levels outside of `level_` do not return into the scope; `level_` is `none` if no level does.
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
        level_ = none;
    }

    /// Returns: true if the call was made inside of the scope.
    /// Complexity: O(new levels), and a comparison for each level outside.
    bool inside(recorder::unwind::caller from, recorder::unwind::rule_table& rules,
                scope_code& code) noexcept {
        const unsigned kept = stack_.update(from.slot, from.frame_base, rules);
        if (level_ < kept) {
            return true;
        }
        level_ = none;
        for (unsigned which = kept; which < stack_.depth(); ++which) {
            if (code.has(stack_.at(which).return_address)) {
                level_ = which;
                return true;
            }
        }
        return false;
    }

private:
    static constexpr unsigned none = ~0U;

    recorder::unwind::stack stack_;
    unsigned level_ = none;
};

} // namespace mallard::trial

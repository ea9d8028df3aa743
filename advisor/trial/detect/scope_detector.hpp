/// Decides whether a call returns into the code of the scope, or into code that is excluded from it.
///
/// Data model: the ranges are offsets in files, because load addresses vary. A table by return address caches the
/// answers: | address | 1 bit |. Threads read and write its words without a lock.
/// Invariant: a word is valid as long as its code is loaded. `clear` is called after each unloading.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "recorder/unwind/stack.hpp"
#include "trial/detect/scope_rules.hpp"
#include "trial/setting.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace mallard::trial {

class scope_code {
public:
    /// Effects: sets a bit in `seen` for each of the first 32 ranges in which a call was seen.
    void begin(const code_ranges& ranges, std::atomic<std::uint32_t>& seen) noexcept {
        ranges_ = &ranges;
        seen_ = &seen;
    }

    [[nodiscard]] bool empty() const noexcept { return ranges_ == nullptr || ranges_->count == 0; }

    /// Returns: true if the instruction before `return_address` is in one of the ranges.
    [[nodiscard]] bool has(std::uint64_t return_address) noexcept {
        std::atomic<std::uint64_t>& place =
            places_[(return_address ^ return_address >> place_bits) & (places - 1)];
        const std::uint64_t cached = place.load(std::memory_order_relaxed);
        if (cached >> 1 == return_address) [[likely]] {
            return (cached & 1) != 0;
        }
        const bool answer = look_up(return_address - 1);
        place.store(return_address << 1 | (answer ? 1 : 0), std::memory_order_relaxed);
        return answer;
    }

    /// Effects: forgets all answers.
    void clear() noexcept;

private:
    static constexpr unsigned place_bits = 14;
    static constexpr std::uint64_t places = std::uint64_t{1} << place_bits;

    bool look_up(std::uint64_t instruction) noexcept;

    const code_ranges* ranges_ = nullptr;
    std::atomic<std::uint32_t>* seen_ = nullptr;
    std::array<std::atomic<std::uint64_t>, places> places_{};
};

/// Decides from a thread's stack whether the thread is inside of the scope.
///
/// Data model: the thread's stack at its last request, the outermost level that returns into the scope's code, and
/// the outermost of it and of the levels inside of it that returns into excluded code.
/// Invariant: levels outside of `level_` do not return into the scope; `level_` is `none` if no level does. The same
/// holds for `excluded_level_` and the levels from `level_` on.
/// Owner: its thread.
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
        const unsigned kept = stack_.update(caller, rules);
        if (level_ >= kept) {
            level_ = first(kept, code);
            excluded_level_ = none;
        }
        if (level_ == none || except.empty()) [[likely]] {
            return level_ != none;
        }
        if (excluded_level_ >= kept) {
            excluded_level_ = first(level_ < kept ? kept : level_, except);
        }
        return excluded_level_ == none;
    }

    /// Returns: the decision of the tree, from `outcome`, the node of the allocation's caller; unknown if the tree or the
    /// description of a frame does not suffice.
    std::uint32_t walk(recorder::unwind::caller caller, std::uint32_t outcome,
                       recorder::unwind::rule_table& rules, scope_rules& tree) noexcept;

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

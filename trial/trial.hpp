/// The trial of this process: one object, in static storage, ready before any constructor has run.
#pragma once

#include "recorder/code/unloads.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "trial/detect/scope_code.hpp"
#include "trial/report.hpp"
#include "trial/setting.hpp"

#include <atomic>

namespace mallard::trial {

class trial {
public:
    /// Effects: begins the trial if the environment asks for one.
    /// Returns: true if the scope is to be served. In the child of a fork it is not.
    bool on() noexcept {
        const state now = state_.load(std::memory_order_acquire);
        return now == state::on ? same_process() : now == state::not_begun && begin();
    }

    setting asked;
    report* into = nullptr;
    /// Turns of an empty loop that take the delay of the setting.
    std::uint64_t delay_turns = 0;
    scope_code code;
    scope_code except;
    recorder::unwind::rule_table rules;
    recorder::unloads unloaded;

private:
    enum class state : std::uint8_t { not_begun, beginning, on, off };

    [[nodiscard]] bool same_process() const noexcept { return *same_process_ != 0; }
    bool begin() noexcept;
    bool begin_here() noexcept;

    std::atomic<state> state_{state::not_begun};
    /// In memory that is zero in the child of a fork.
    const volatile std::uint32_t* same_process_ = nullptr;
};

extern trial the_trial;

} // namespace mallard::trial

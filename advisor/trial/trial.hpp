/// The trial of this process: an object in static storage that is usable before any constructor has run.
#pragma once

#include "recorder/code/code_objects.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "trial/detect/scope_detector.hpp"
#include "trial/report.hpp"
#include "trial/setting.hpp"

#include <atomic>

namespace mallard::trial {

class trial {
public:
    /// Effects: begins the trial if the environment requests it.
    /// Returns: true if the scope is to be served; false in the child of a fork.
    bool on() noexcept {
        const state current = state_.load(std::memory_order_acquire);
        return current == state::on ? in_original_process() : current == state::not_begun && begin();
    }

    setting settings;
    report* results = nullptr;
    /// Iterations of an empty loop that take the delay of the settings.
    std::uint64_t delay_iterations = 0;
    scope_code code;
    scope_code except;
    recorder::unwind::rule_table rules;
    recorder::unloads unloaded;

private:
    enum class state : std::uint8_t { not_begun, beginning, on, off };

    [[nodiscard]] bool in_original_process() const noexcept { return *in_original_process_ != 0; }
    bool begin() noexcept;
    bool start() noexcept;

    std::atomic<state> state_{state::not_begun};
    /// In memory that is zero in the child of a fork.
    const volatile std::uint32_t* in_original_process_ = nullptr;
};

extern trial the_trial;

} // namespace mallard::trial

/// The recording of this process: one object, in static storage, ready before any constructor has run.
#pragma once

#include "include/mallard/record/scope.hpp"
#include "recorder/code/code_files.hpp"
#include "recorder/code/unloads.hpp"
#include "recorder/log/part_file.hpp"
#include "recorder/log/sampled_blocks.hpp"
#include "recorder/marks/name_table.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/system_text.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "recorder/unwind/rule_table.hpp"

#include <atomic>

namespace mallard::recorder {

class recording {
public:
    /// Effects: begins to record if the environment asks for it, and begins again in the child of a fork that is followed.
    /// Returns: true if events are recorded.
    bool on() noexcept {
        const state now = state_.load(std::memory_order_acquire);
        return now == state::off ? false : now == state::on && !forked() ? true : begin();
    }

    /// Returns: true if forks, and programs that the process executes, are recorded too.
    [[nodiscard]] bool follows() const noexcept { return follow_; }

    /// Effects: notes the time if the process ends, or becomes another program.
    void note_end() noexcept {
        if (state_.load(std::memory_order_acquire) == state::on && !forked() &&
            (in_sandbox() || part.is_of_this_process())) {
            part.note_time();
        }
    }

    /// Effects: no event is recorded from now on.
    void end(trace::stop_reason why) noexcept;

    /// Effects: forgets the rules and the files of code. A file is written when a rule of its code is made, so the trace has a
    /// file again only if both are forgotten.
    void forget_code() noexcept {
        rules.clear();
        code.forget();
    }

    part_file part;
    unwind::rule_table rules;
    code_files code;
    name_table names;
    unloads unloaded;
    sampled_blocks sampled;
    trace::stack_source stacks = trace::stack_source::descriptions;
    std::uint32_t sample_one_in = 1;
    /// One event in so many has the time that the allocator took for it.
    std::uint32_t time_one_in = 64;
    /// Of two time stamps, one after the other, at the least. It is no time of the allocator's.
    std::uint64_t stamp_ticks = 0;

private:
    enum class state : std::uint8_t { not_begun, beginning, on, off };

    [[nodiscard]] bool forked() const noexcept { return same_process_ == nullptr || *same_process_ == 0; }
    bool begin() noexcept;
    bool leave_in_sandbox() noexcept;
    bool begin_here() noexcept;
    bool open_part() noexcept;

    std::atomic<state> state_{state::not_begun};
    /// In memory that is zero in the child of a fork, however it was made.
    const volatile std::uint32_t* same_process_ = nullptr;
    path_text folder_;
    bool follow_ = false;
    bool is_connected_ = false; ///< to the marks of the program's files, and to the loader
};

extern recording the_recording;

/// The functions that marks in the program call: interpose/scopes.cpp.
extern const record::functions own_functions;

} // namespace mallard::recorder

/// The recording of this process: a single object in static storage, usable before any constructor has run.
#pragma once

#include "recorder/code/code_files.hpp"
#include "recorder/code/code_objects.hpp"
#include "recorder/log/large_blocks.hpp"
#include "recorder/log/part_file.hpp"
#include "recorder/log/sampler.hpp"
#include "recorder/marks/name_table.hpp"
#include "recorder/system/sandbox.hpp"
#include "recorder/system/system_text.hpp"
#include "recorder/system/wiped_memory.hpp"
#include "recorder/unwind/rule_table.hpp"

#include <mallard/record/scope.hpp>

#include <atomic>

namespace mallard::recorder {

class recording {
public:
    /// Effects: starts recording if the environment requests it, and restarts in a followed child of a fork.
    /// Returns: true if events are recorded.
    bool on() noexcept {
        const state current = state_.load(std::memory_order_acquire);
        return current == state::off ? false : current == state::on && !forked() ? !part.is_idle() : begin();
    }

    /// Returns: true if the process has a part, and the recording has not begun.
    [[nodiscard]] bool is_idle() const noexcept {
        return state_.load(std::memory_order_acquire) == state::on && !forked() && part.is_idle();
    }

    /// Returns: true if no event can be recorded at present.
    [[nodiscard]] bool is_off() const noexcept {
        return state_.load(std::memory_order_acquire) == state::off || is_idle();
    }

    /// Effects: starts recording in a running program, with these settings. The process may have been recorded before.
    /// Returns: false if the folder gets no part.
    bool attach(const char* folder, trace::stack_source source, std::uint32_t sample) noexcept;

    /// Effects: ends such a recording, and drops its part. Threads may still be in the recorder.
    void detach() noexcept;

    /// Returns: true if the recording has stopped, or the collector requests it.
    [[nodiscard]] bool should_end() const noexcept { return part.stopping(); }

    /// Returns: the number of recordings of the process that began by `attach`.
    [[nodiscard]] std::uint32_t attachments() const noexcept {
        return attachments_.load(std::memory_order_acquire);
    }

    /// Returns: true if forks, and programs that the process executes, are recorded too.
    [[nodiscard]] bool follows() const noexcept { return follow_; }

    /// Effects: stores the time at which the process ends or executes another program.
    void note_end() noexcept {
        if (state_.load(std::memory_order_acquire) == state::on && !forked() &&
            (in_sandbox() || part.is_of_this_process())) {
            part.note_time();
        }
    }

    /// Effects: stops recording.
    void end(trace::stop_reason reason) noexcept;

    /// Effects: drops the rules and the list of code files. A file is written when a rule for its code is added, so the trace
    /// gets a file again only if both are dropped.
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
    large_blocks large;
    trace::stack_source stacks = trace::stack_source::descriptions;
    std::uint32_t sample_one_in = 1;
    /// One event in `time_one_in` has the time that the allocator took.
    std::uint32_t time_one_in = 64;

private:
    enum class state : std::uint8_t { not_begun, beginning, on, off };

    [[nodiscard]] bool forked() const noexcept { return process_mark_ == nullptr || *process_mark_ == 0; }
    bool begin() noexcept;
    bool leave_in_sandbox() noexcept;
    bool begin_process() noexcept;
    bool open_part() noexcept;

    std::atomic<state> state_{state::not_begun};
    /// Not 0 in this process, in memory that is zero in the child of any fork.
    const volatile std::uint32_t* process_mark_ = nullptr;
    path_text folder_;
    bool follow_ = false;
    std::atomic<std::uint32_t> attachments_{0};
    bool has_sampled_ = false;
    bool is_connected_ = false; ///< to the marks of the program's files, and to the loader
};

extern recording the_recording;

/// The functions that marks in the program call: interpose/scopes.cpp.
extern const record::functions own_functions;

} // namespace mallard::recorder

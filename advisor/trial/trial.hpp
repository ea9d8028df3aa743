/// The trial of this process: an object in static storage that is usable before any constructor has run.
#pragma once

#include "history/history.hpp"
#include "recorder/code/code_objects.hpp"
#include "recorder/unwind/rule_table.hpp"
#include "trial/detect/scope_detector.hpp"
#include "trial/detect/scope_rules.hpp"
#include "trial/report.hpp"
#include "trial/setting.hpp"

#include <atomic>
#include <cstdint>

namespace mallard::trial {

/// Returns: the malloc that the program has without this library. Each library defines it by what it interposes.
history::allocator malloc_in_use() noexcept;

class trial {
public:
    /// Effects: begins the trial if the environment requests it for this process.
    /// Returns: true if the scope is to be served; false in the child of a fork of the process that is served.
    bool on() noexcept {
        const state current = state_.load(std::memory_order_acquire);
        if (current == state::on) {
            return in_original_process();
        }
        const bool may_begin =
            current == state::not_begun || (current == state::another && !in_original_process());
        return may_begin && begin(current);
    }

    /// Effects: reports the process's own time and memory. It is about to end, or to execute another program.
    void note_end() noexcept;

    /// Effects: reports what the malloc holds, if requested. It takes locks of the malloc, so that only a normal exit may call it:
    /// `_exit` may be called by a signal handler that interrupted the malloc.
    void note_held_memory() noexcept;

    /// Effects: notes that the process is about to execute or has started another program; or has not, if `programs` is negative.
    void note_programs(int programs) noexcept;

    /// Effects: starts the clock again, in a constructor. Constructors of libraries that come earlier are not the program's work,
    /// and a trial begins in one of them, or here.
    void start_clock() noexcept;

    /// Effects: answers a question of the reader of the report, in a process that is only measured.
    [[gnu::always_inline]] void answer_if_asked() noexcept {
        if (state_.load(std::memory_order_relaxed) == state::measured &&
            results->asked.load(std::memory_order_relaxed) !=
                results->answered.load(std::memory_order_relaxed)) [[unlikely]] {
            answer();
        }
    }

    /// Effects: drops the cached answers about code if the call comes from the loader and files were unloaded.
    [[gnu::always_inline]] void notice_unloads(std::uint64_t return_address) noexcept {
        if (unloaded.from_loader(return_address) && unloaded.happened()) [[unlikely]] {
            forget_code();
        }
    }

    /// Effects: drops the cached answers about code.
    void forget_code() noexcept;

    setting settings;
    report* results = nullptr;
    scope_code code;
    scope_code except;
    scope_rules scope_tree;
    recorder::unwind::rule_table rules;
    recorder::unloads unloaded;

private:
    enum class state : std::uint8_t {
        not_begun,
        beginning,
        on,
        measured, ///< the process is measured, and not served
        another,  ///< the process has the right name, but the trial is of another one, perhaps of a child
        off,
    };

    [[nodiscard]] bool in_original_process() const noexcept { return *in_original_process_ != 0; }
    [[nodiscard]] bool is_own_process() const noexcept;
    [[gnu::cold]] void answer() noexcept;
    bool begin(state current) noexcept;
    state start() noexcept;
    state claim_process() noexcept;

    std::atomic<state> state_{state::not_begun};
    /// In memory that is zero in the child of a fork.
    volatile std::uint32_t* in_original_process_ = nullptr;
    std::uint64_t process_number_ = 0;
    // At the begin.
    std::uint64_t cpu_ns_ = 0;
    std::uint64_t wall_ns_ = 0;
    std::uint64_t faults_ = 0;
};

extern trial the_trial;

} // namespace mallard::trial

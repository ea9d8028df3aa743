/// Live bytes over time, in total and by call.
///
///     step      0        1        2       ...      equal lengths of time
///     total    [bytes at the end of each step]
///     change   (call, step, bytes)                 only what differs between the ends of two steps
///
/// Invariant: a call's live bytes at the end of a step are the sum of its changes up to that step. There are at most
/// `most_changes`; beyond that limit the changes by call are incomplete (`is_complete`).
#pragma once

#include "profiler/blocks/call_table.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mallard::advisor {

class live_timeline {
public:
    static constexpr std::uint32_t steps = 400;
    struct change {
        call_id call = 0;
        std::uint32_t step = 0;
        std::int64_t bytes = 0;
    };

    /// A timeline that begins at `begin_ticks` and is `ticks` long.
    explicit live_timeline(std::uint64_t ticks, std::uint64_t begin_ticks = 0)
        : begin_ticks_(begin_ticks), step_ticks_(ticks / steps + 1), next_(begin_ticks + step_ticks_) {}

    /// Effects: counts a block before the beginning.
    void allocated_earlier(std::uint64_t bytes) noexcept { live_ += bytes; }
    void freed_earlier(std::uint64_t bytes) noexcept { live_ -= bytes; }
    /// Effects: the live blocks are those of the beginning.
    void begin_part(call_table& calls) noexcept {
        live_at_begin_ = peak_ = live_;
        peak_ticks_ = begin_ticks_;
        calls.mark_peak();
    }

    /// Effects: ends steps until the current one contains `ticks`.
    void go_to(std::uint64_t ticks, call_table& calls) {
        if (ticks >= next_) {
            end_steps(ticks, calls);
        }
    }

    void allocated(call_id call, std::uint64_t bytes, std::uint64_t ticks, call_table& calls) {
        live_ += bytes;
        if (live_ > peak_) {
            peak_ = live_;
            peak_ticks_ = ticks;
            calls.mark_peak();
        }
        note(call, calls, static_cast<std::int64_t>(bytes));
    }
    void freed(call_id call, std::uint64_t bytes, call_table& calls) {
        live_ -= bytes;
        note(call, calls, -static_cast<std::int64_t>(bytes));
    }

    /// Effects: ends the last step.
    void finish(std::uint64_t ticks, call_table& calls) {
        go_to(ticks, calls);
        end_step(calls);
        calls.finish_peak();
    }

    [[nodiscard]] std::uint64_t begin_ticks() const noexcept { return begin_ticks_; }
    [[nodiscard]] std::uint64_t live_at_begin() const noexcept { return live_at_begin_; }
    [[nodiscard]] std::uint64_t step_ticks() const noexcept { return step_ticks_; }
    [[nodiscard]] const std::vector<std::uint64_t>& totals() const noexcept { return totals_; }
    [[nodiscard]] const std::vector<change>& changes() const noexcept { return changes_; }
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] std::uint64_t live() const noexcept { return live_; }
    [[nodiscard]] std::uint64_t peak() const noexcept { return peak_; }
    [[nodiscard]] std::uint64_t peak_ticks() const noexcept { return peak_ticks_; }

private:
    static constexpr std::size_t most_changes = std::size_t{8} << 20;

    void note(call_id id, call_table& calls, std::int64_t bytes) {
        call_totals& call = calls[id];
        const auto step = static_cast<std::uint32_t>(totals_.size()) + 1;
        if (call.step != step) {
            call.step = step;
            call.change = 0;
            touched_.push_back(id);
        }
        call.change += bytes;
    }

    void end_step(call_table& calls) {
        const auto step = static_cast<std::uint32_t>(totals_.size());
        for (const call_id call : touched_) {
            if (calls[call].change == 0) {
                continue;
            }
            if (changes_.size() < most_changes) {
                changes_.push_back({call, step, calls[call].change});
            } else {
                is_complete_ = false;
            }
        }
        touched_.clear();
        totals_.push_back(live_);
    }

    void end_steps(std::uint64_t ticks, call_table& calls) {
        while (ticks >= next_ && totals_.size() < steps) {
            end_step(calls);
            next_ += step_ticks_;
        }
    }

    std::uint64_t begin_ticks_;
    std::uint64_t step_ticks_;
    std::uint64_t next_;
    std::uint64_t live_ = 0;
    std::uint64_t live_at_begin_ = 0;
    std::uint64_t peak_ = 0;
    std::uint64_t peak_ticks_ = 0;
    std::vector<call_id> touched_; ///< in this step
    std::vector<std::uint64_t> totals_;
    std::vector<change> changes_;
    bool is_complete_ = true;
};

} // namespace mallard::advisor

/// Decides which events of a thread are recorded if not all are: all of one activation in so many.
///
/// Data model: a burst, a gap, a burst, ... In a burst every event is recorded, in a gap none but the end of a recorded
/// block. The second event of a burst, or a later one, shows calls that have just begun; the burst lasts until one of them has
/// returned, as far as stacks can tell. The gap is as much longer as the rate asks, on average, and its length is random.
/// Invariant: `left_ == 0` in a burst, and always if everything is recorded.
/// Owner: the log of the thread.
#pragma once

#include <cstdint>

namespace mallard::recorder {

class sampler {
public:
    /// Effects: one event in `one_in` is recorded from now on.
    void begin(std::uint32_t one_in, std::uint32_t seed) noexcept {
        *this = sampler{};
        one_in_ = one_in;
        random_ = seed | 1;
    }

    [[nodiscard]] bool is_on() const noexcept { return one_in_ > 1; }

    /// Effects: goes on with the next event. In a gap, counts it as left out, unless it is `needed` nevertheless.
    /// Returns: true if it is left out.
    [[gnu::always_inline]] bool leaves_out(bool needed) noexcept {
        if (left_ == 0) [[likely]] {
            return false;
        }
        if (--left_ == 0) {
            start_burst();
        }
        left_out_ += !needed;
        return !needed;
    }

    /// Effects: counts the second half of an event that was left out as left out, also if the gap has ended.
    void leave_out() noexcept { ++left_out_; }

    /// Returns: the events that were left out since the last call.
    std::uint64_t take_left_out() noexcept {
        const std::uint64_t count = left_out_;
        left_out_ = 0;
        return count;
    }
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

    /// Effects: goes on with an event of a burst, whose outer `kept` levels were there at the event before, and which has
    /// `depth` levels.
    void saw(unsigned kept, unsigned depth) noexcept {
        if (!is_on() || left_ != 0) {
            return;
        }
        const bool first = ++events_ == 1;
        if (root_ == none && !first && depth > kept + 1) {
            root_ = kept + 1 + draw(depth - kept - 1);
        } else if ((root_ != none && kept < root_) ||
                   events_ == (root_ == none ? most_without_root : most_events)) {
            end_burst();
        }
    }

private:
    static constexpr unsigned none = ~0U;
    // A thread that calls malloc from one place only has no call that begins.
    static constexpr std::uint32_t most_without_root = 64;
    // The call may be main's.
    static constexpr std::uint32_t most_events = 1U << 14;

    void start_burst() noexcept {
        events_ = 0;
        root_ = none;
    }

    void end_burst() noexcept { left_ = 1 + 2 * (std::uint64_t{one_in_} - 1) * draw(events_); }

    /// Returns: a number below `limit`, or 0.
    std::uint32_t draw(std::uint32_t limit) noexcept {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 17;
        random_ ^= random_ << 5;
        return static_cast<std::uint32_t>(std::uint64_t{random_} * limit >> 32);
    }

    std::uint64_t left_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint32_t one_in_ = 1;
    std::uint32_t events_ = 0;
    std::uint32_t random_ = 1;
    unsigned root_ = none;
};

} // namespace mallard::recorder

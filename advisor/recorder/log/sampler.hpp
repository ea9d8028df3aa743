/// Samples whole activations: records every event of one activation in N.
///
/// Data model: a burst, a gap, a burst, ... In a burst every event is recorded, in a gap only the end of a recorded
/// block. The second or a later event of a burst shows calls that have just begun; the burst lasts until one of them has
/// returned, as far as stacks show. The gap has a random length, on average as much longer as the rate requires.
/// Invariant: `gap_remaining_ == 0` in a burst, and always if everything is recorded.
/// Owner: the thread's log.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

class sampler {
public:
    /// Effects: starts recording one event in `one_in`.
    void begin(std::uint32_t one_in, std::uint32_t seed) noexcept {
        *this = sampler{};
        one_in_ = one_in;
        random_ = seed | 1;
    }

    [[nodiscard]] bool is_on() const noexcept { return one_in_ > 1; }

    /// Effects: advances to the next event. In a gap, counts it as skipped unless it is `needed`.
    /// Returns: true if the event is skipped.
    [[gnu::always_inline]] bool should_skip(bool needed) noexcept {
        if (gap_remaining_ == 0) [[likely]] {
            return false;
        }
        if (--gap_remaining_ == 0) {
            start_burst();
        }
        skipped_ += !needed;
        return !needed;
    }

    /// Effects: counts the second half of a skipped event as skipped, even if the gap has ended.
    void skip_one() noexcept { ++skipped_; }

    /// Returns: the number of events skipped since the last call.
    std::uint64_t take_skipped() noexcept {
        const std::uint64_t count = skipped_;
        skipped_ = 0;
        return count;
    }
    [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

    /// Effects: advances by an event of a burst with `depth` levels, whose outer `kept` levels are unchanged since the preceding
    /// event.
    void on_event(unsigned kept, unsigned depth) noexcept {
        if (!is_on() || gap_remaining_ != 0) {
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
    // A thread that calls malloc from a single place never shows a call that begins.
    static constexpr std::uint32_t most_without_root = 64;
    // The activation may be main's.
    static constexpr std::uint32_t most_events = 1U << 14;

    void start_burst() noexcept {
        events_ = 0;
        root_ = none;
    }

    void end_burst() noexcept { gap_remaining_ = 1 + 2 * (std::uint64_t{one_in_} - 1) * draw(events_); }

    /// Returns: a number below `limit`, or 0.
    std::uint32_t draw(std::uint32_t limit) noexcept {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 17;
        random_ ^= random_ << 5;
        return static_cast<std::uint32_t>(std::uint64_t{random_} * limit >> 32);
    }

    std::uint64_t gap_remaining_ = 0;
    std::uint64_t skipped_ = 0;
    std::uint32_t one_in_ = 1;
    std::uint32_t events_ = 0;
    std::uint32_t random_ = 1;
    unsigned root_ = none;
};

/// The blocks whose allocation was recorded in a sample: their end is recorded too.
///
/// Data model: a table of addresses, one place for each hash. A new block evicts the previous one of its place,
/// whose end the trace then lacks; evictions are counted. Thread-safe, without a lock.
class sampled_blocks {
public:
    /// Effects: maps the table of 8 MiB, which a recording of all blocks does not need.
    /// Returns: false if there is no memory.
    /// Requires: called once, before all other functions.
    bool open() noexcept {
        void* const memory = ::mmap(nullptr, places * sizeof(std::uintptr_t), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        places_ = memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uintptr_t>*>(memory);
        return places_ != nullptr;
    }

    /// Returns: false if another block was evicted.
    bool add(const void* block) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const std::uintptr_t evicted = place_for(address).exchange(address, std::memory_order_relaxed);
        return evicted == 0 || evicted == address;
    }

    /// Returns: true if the block was in the table.
    bool remove(const void* block) noexcept {
        auto address = reinterpret_cast<std::uintptr_t>(block);
        std::atomic<std::uintptr_t>& place = place_for(address);
        return place.load(std::memory_order_relaxed) == address && place.compare_exchange_strong(address, 0);
    }

    void clear() noexcept {
        for (std::size_t index = 0; index < places; ++index) {
            places_[index].store(0, std::memory_order_relaxed);
        }
    }

private:
    static constexpr unsigned place_bits = 20;
    static constexpr std::size_t places = std::size_t{1} << place_bits;

    std::atomic<std::uintptr_t>& place_for(std::uintptr_t block) noexcept {
        return places_[static_cast<std::size_t>((block >> 4) * 0x9e3779b97f4a7c15U >> (64 - place_bits))];
    }

    std::atomic<std::uintptr_t>* places_ = nullptr;
};

} // namespace mallard::recorder

/// The latest operations of all threads, to count those that ran concurrently.
///
/// Data model: a ring of the last 64 operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::advisor {

class recent_events {
public:
    void add(std::uint32_t thread, std::uint64_t ticks) noexcept {
        ring_[next_++ % ring_.size()] = {ticks, thread};
    }

    /// Returns: the operations of other threads in the last `ticks` before `current`.
    [[nodiscard]] std::uint64_t count_others(std::uint32_t thread, std::uint64_t current,
                                             std::uint64_t ticks) const noexcept {
        std::uint64_t count = 0;
        const std::size_t size = next_ < ring_.size() ? next_ : ring_.size();
        for (std::size_t back = 1; back <= size; ++back) {
            const operation& at = ring_[(next_ - back) % ring_.size()];
            if (at.ticks + ticks < current) {
                break;
            }
            count += at.thread != thread;
        }
        return count;
    }

private:
    struct operation {
        std::uint64_t ticks = 0;
        std::uint32_t thread = 0;
    };

    std::array<operation, 64> ring_;
    std::size_t next_ = 0;
};

} // namespace mallard::advisor

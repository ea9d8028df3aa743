/// The last operations of all threads, for the number of them that ran at the same time as another.
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

    /// Returns: the operations of other threads in the last `ticks` before `now`.
    [[nodiscard]] std::uint64_t of_others(std::uint32_t thread, std::uint64_t now,
                                          std::uint64_t ticks) const noexcept {
        std::uint64_t found = 0;
        const std::size_t count = next_ < ring_.size() ? next_ : ring_.size();
        for (std::size_t back = 1; back <= count; ++back) {
            const operation& at = ring_[(next_ - back) % ring_.size()];
            if (at.ticks + ticks < now) {
                break;
            }
            found += at.thread != thread;
        }
        return found;
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

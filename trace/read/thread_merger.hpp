/// The events of a process in the order of time, from those of its threads.
///
/// Data model: a heap of threads, the one with the next event on top.
/// Invariant: a thread whose next event lies ahead in a frame that is not open holds no memory for it.
#pragma once

#include "trace/read/thread_cursor.hpp"

namespace mallard::trace {

class thread_merger {
public:
    /// Requires: both arguments stay.
    thread_merger(const input& file, const frame_table::process_content& of);

    /// Returns: the next events, until the next call; none at the end.
    /// Throws: trace_error if a frame is damaged.
    std::span<const event> next();

private:
    /// The place of a thread in the order.
    struct turn {
        std::uint64_t ticks = 0;
        /// A block is freed after the record of it, and taken before: of events at the same time the frees are first.
        bool later = false;
        std::uint32_t cursor = 0;

        friend auto operator<=>(const turn&, const turn&) noexcept = default;
    };

    [[nodiscard]] turn turn_of(std::uint32_t cursor) const noexcept;
    [[nodiscard]] static bool is_later(record_kind kind) noexcept { return !frees(kind); }
    void put_back(std::uint32_t cursor);
    void take_run(std::uint32_t cursor);
    std::span<const event> next_of_one();

    frame_memory memory_;
    std::vector<thread_cursor> cursors_;
    std::vector<turn> turns_; ///< a heap
    std::vector<event> merged_;
    std::size_t taken_ = 0; ///< by the last next() from the only thread
};

} // namespace mallard::trace

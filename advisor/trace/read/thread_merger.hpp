/// The events of a process in order of time, merged from those of its threads.
///
/// Data model: a heap of threads, with the one of the next event on top.
/// Invariant: a thread whose next event is in a frame that is not open holds no memory for that frame.
#pragma once

#include "trace/read/thread_cursor.hpp"

namespace mallard::trace {

class thread_merger {
public:
    /// Requires: both arguments outlive the object.
    thread_merger(const input& file, const frame_table::process_content& content);

    /// Returns: the next events, valid until the next call; empty at the end.
    /// Throws: trace_error if a frame is damaged.
    std::span<const event> next();

private:
    /// The position of a thread in the order.
    struct turn {
        std::uint64_t ticks = 0;
        /// A block is freed after its record, and allocated before: of simultaneous events frees come first.
        bool later = false;
        std::uint32_t cursor = 0;

        friend auto operator<=>(const turn&, const turn&) noexcept = default;
    };

    [[nodiscard]] turn make_turn(std::uint32_t cursor) const noexcept;
    [[nodiscard]] static bool is_later(record_kind kind) noexcept { return !frees(kind); }
    void put_back(std::uint32_t cursor);
    void take_run(std::uint32_t cursor);
    std::span<const event> next_single();

    frame_memory memory_;
    std::vector<thread_cursor> cursors_;
    std::vector<turn> turns_; ///< a heap
    std::vector<event> merged_;
    std::size_t taken_ = 0; ///< by the last next() of the only thread
};

} // namespace mallard::trace

#include "trace/read/thread_merger.hpp"

#include <algorithm>
#include <functional>

namespace mallard::trace {

namespace {

constexpr std::size_t events_at_once = 1024;

} // namespace

thread_merger::thread_merger(const input& file, const frame_table::process_content& content) : memory_(file) {
    // Threads are renumbered, so that a damaged number cannot be large.
    std::uint32_t number = 0;
    for (const auto& [thread, frames] : content.threads) {
        cursors_.emplace_back(frames, content.contexts, number);
        turns_.push_back(make_turn(number));
        ++number;
    }
    std::make_heap(turns_.begin(), turns_.end(), std::greater<>());
}

thread_merger::turn thread_merger::make_turn(std::uint32_t cursor) const noexcept {
    const thread_cursor& at = cursors_[cursor];
    return {at.next_ticks(), !at.events().empty() && is_later(at.events().front().kind), cursor};
}

std::span<const event> thread_merger::next() {
    if (cursors_.size() == 1) {
        return next_single();
    }
    merged_.clear();
    while (merged_.size() < events_at_once && !turns_.empty()) {
        std::pop_heap(turns_.begin(), turns_.end(), std::greater<>());
        const std::uint32_t first = turns_.back().cursor;
        turns_.pop_back();
        if (cursors_[first].events().empty()) {
            cursors_[first].open(memory_); // the first event may come after those of other threads
        } else {
            take_run(first);
        }
        put_back(first);
    }
    return merged_;
}

/// Effects: takes the thread's events that precede those of all others.
void thread_merger::take_run(std::uint32_t cursor) {
    thread_cursor& from = cursors_[cursor];
    std::size_t count = 0;
    for (const event& candidate : from.events()) {
        if (!turns_.empty() && turn{candidate.ticks, is_later(candidate.kind), cursor} > turns_.front()) {
            break;
        }
        merged_.push_back(candidate);
        ++count;
    }
    from.pass(count, memory_);
}

void thread_merger::put_back(std::uint32_t cursor) {
    if (cursors_[cursor].at_end()) {
        return;
    }
    turns_.push_back(make_turn(cursor));
    std::push_heap(turns_.begin(), turns_.end(), std::greater<>());
}

std::span<const event> thread_merger::next_single() {
    thread_cursor& from = cursors_.front();
    if (taken_ != 0) {
        from.pass(taken_, memory_);
    }
    taken_ = 0;
    if (from.events().empty() && !from.at_end()) {
        from.open(memory_);
    }
    taken_ = from.events().size();
    return from.events();
}

} // namespace mallard::trace

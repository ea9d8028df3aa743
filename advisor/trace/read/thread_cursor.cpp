#include "trace/read/thread_cursor.hpp"

#include "trace/trace_error.hpp"

#include <algorithm>
#include <functional>

namespace mallard::trace {

namespace {

// Few enough to remain in the processor's cache until they are used.
constexpr std::size_t decoded_at_once = 1024;
// A writer holds half a million events of all threads. Their frames have a hundredth of this.
constexpr std::uint64_t most_open_bytes = std::uint64_t{1} << 30;
constexpr std::size_t most_kept_bytes = std::size_t{16} << 20;

} // namespace

std::unique_ptr<frame_memory::open_frame> frame_memory::take(std::uint32_t plain_bytes) {
    if (plain_bytes > most_open_bytes - open_bytes_) {
        throw trace_error("the trace '" + file->name() + "' has more than " +
                          std::to_string(most_open_bytes) +
                          " bytes of events at one time, more than any recording has; record again");
    }
    open_bytes_ += plain_bytes;
    std::unique_ptr<open_frame> taken;
    if (free_.empty()) {
        taken = std::make_unique<open_frame>();
        taken->events.resize(decoded_at_once);
    } else {
        taken = std::move(free_.back());
        free_.pop_back();
    }
    taken->plain_bytes = plain_bytes;
    return taken;
}

void frame_memory::release(std::unique_ptr<open_frame> frame) {
    open_bytes_ -= frame->plain_bytes;
    // A large body is rare, so its memory is not kept.
    if (frame->plain.capacity() > most_kept_bytes) {
        frame->plain = {};
    }
    free_.push_back(std::move(frame));
}

void thread_cursor::open(frame_memory& memory) {
    const event_frame& frame = (*frames_)[next_];
    ++next_;
    open_ = memory.take(frame.head.plain_bytes);
    try {
        const auto body =
            read_body(*memory.file, frame.head, frame.body_place, memory.unpack, memory.body, open_->plain);
        open_->decoder.begin(frame.head, body, *contexts_, last_context_, thread_);
    } catch (const bad_bytes& error) {
        fail(memory, error);
    }
    decode(memory);
}

void thread_cursor::pass(std::size_t count, frame_memory& memory) {
    events_ = events_.subspan(count);
    if (events_.empty()) {
        decode(memory);
    }
}

void thread_cursor::decode(frame_memory& memory) {
    try {
        events_ = std::span(open_->events).first(open_->decoder.decode(open_->events));
    } catch (const bad_bytes& error) {
        fail(memory, error);
    }
    last_context_ = open_->decoder.last_context();
    if (events_.empty()) {
        memory.release(std::move(open_));
    }
}

void thread_cursor::fail(const frame_memory& memory, const bad_bytes& error) const {
    const std::uint64_t offset = (*frames_)[next_ - 1].body_place - frame_head_bytes;
    throw trace_error("the trace '" + memory.file->name() + "' is damaged in the frame at byte " +
                      std::to_string(offset) + ": " + error.what() + "; take another copy, or record again");
}

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
    std::ranges::make_heap(turns_, std::greater<>());
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
        std::ranges::pop_heap(turns_, std::greater<>());
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
    std::ranges::push_heap(turns_, std::greater<>());
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

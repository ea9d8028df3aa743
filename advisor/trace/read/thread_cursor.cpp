#include "trace/read/thread_cursor.hpp"

#include "trace/trace_error.hpp"

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

} // namespace mallard::trace

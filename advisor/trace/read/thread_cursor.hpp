/// A position in the events of one thread.
///
/// Data model: the frames of the thread, at most one of which is open. An open frame has its body in memory, and some of
/// its events decoded. Invariant: a frame is open if and only if there are decoded events.
#pragma once

#include "trace/encode/event_coder.hpp"
#include "trace/read/frame_table.hpp"

#include <memory>

namespace mallard::trace {

/// Memory for frames, for reuse.
class frame_memory {
public:
    struct open_frame {
        std::vector<std::byte> plain;
        std::uint32_t plain_bytes = 0;
        event_decoder decoder;
        std::vector<event> events;
    };

    explicit frame_memory(const input& from) noexcept : file(&from) {}

    /// Returns: memory for a frame of `plain_bytes` bytes.
    /// Throws: trace_error if more bytes are open than a recording has at a time.
    std::unique_ptr<open_frame> take(std::uint32_t plain_bytes);
    void release(std::unique_ptr<open_frame> frame);

    const input* file;
    unpacker unpack;
    std::vector<std::byte> body;

private:
    std::vector<std::unique_ptr<open_frame>> free_;
    std::uint64_t open_bytes_ = 0;
};

class thread_cursor {
public:
    thread_cursor(const std::vector<event_frame>& frames, const context_tree& contexts,
                  std::uint32_t thread) noexcept
        : frames_(&frames), contexts_(&contexts), thread_(thread) {}

    /// The next decoded events; empty at the end, and if a frame must be opened first.
    [[nodiscard]] std::span<const event> events() const noexcept { return events_; }
    [[nodiscard]] bool at_end() const noexcept { return events_.empty() && next_ == frames_->size(); }
    /// A lower bound of the times of further events.
    /// Requires: not at the end.
    [[nodiscard]] std::uint64_t next_ticks() const noexcept {
        return events_.empty() ? (*frames_)[next_].head.first_ticks : events_.front().ticks;
    }

    /// Returns: the context of the last decoded event with a stack, or 0.
    [[nodiscard]] context_id last_context() const noexcept { return last_context_; }

    /// Effects: opens the next frame.
    /// Requires: events() is empty, and the cursor is not at the end.
    /// Throws: trace_error if the frame is damaged.
    void open(frame_memory& memory);
    /// Effects: skips `count` of events(), and decodes more if none remain.
    /// Throws: trace_error if the frame is damaged.
    void pass(std::size_t count, frame_memory& memory);

private:
    void decode(frame_memory& memory);
    [[noreturn]] void fail(const frame_memory& memory, const bad_bytes& error) const;

    const std::vector<event_frame>* frames_;
    const context_tree* contexts_;
    std::size_t next_ = 0; ///< the next frame to open
    std::unique_ptr<frame_memory::open_frame> open_;
    std::span<const event> events_;
    context_id last_context_ = 0; ///< of the frames before the next one
    std::uint32_t thread_;
};

/// The events of a process in order of time, merged from those of its threads.
///
/// Data model: a heap of threads, with the one of the next event on top.
/// Invariant: a thread whose next event is in a frame that is not open holds no memory for that frame.
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

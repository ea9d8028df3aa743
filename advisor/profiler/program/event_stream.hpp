/// The events of a process, decoded by a separate thread ahead of the caller.
///
/// Data model: a few buffers of events: the decoder fills free ones, and the caller returns them.
/// Invariant: at most `most_buffers` are filled or in use by the caller.
#pragma once

#include "trace/reader.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace mallard::advisor {

class event_stream {
public:
    /// Requires: the reader's events have no other user until the end of the stream.
    event_stream(trace::reader& reader, std::size_t process);
    event_stream(const event_stream&) = delete;
    event_stream& operator=(const event_stream&) = delete;
    ~event_stream();

    /// Returns: the next events, valid until the next call; empty at the end.
    /// Throws: trace_error if a part of the trace is damaged.
    std::span<trace::event> next();

private:
    static constexpr std::size_t most_buffers = 4;
    static constexpr std::size_t buffer_events = std::size_t{1} << 14;

    void decode();
    /// Returns: false if the stream is being destroyed.
    bool hand_over(std::vector<trace::event>& filled);

    trace::reader& reader_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::vector<trace::event>> filled_;
    std::vector<std::vector<trace::event>> free_;
    std::vector<trace::event> current_;
    std::exception_ptr failure_;
    bool ended_ = false;
    bool stop_ = false;
    std::thread decoder_;
};

} // namespace mallard::advisor

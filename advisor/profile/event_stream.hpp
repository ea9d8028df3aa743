/// The events of a process, decoded by a thread of their own while the caller works on those before.
///
/// Data model: a few buffers of events, which go round: the decoder fills free ones, the caller gives them back.
/// Invariant: at most `most_buffers` are filled and not given back.
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
    /// Requires: nothing else uses the reader's events until the end of the stream.
    event_stream(trace::reader& from, std::size_t process);
    event_stream(const event_stream&) = delete;
    event_stream& operator=(const event_stream&) = delete;
    ~event_stream();

    /// Returns: the next events, until the next call; none at the end.
    /// Throws: trace_error if a part of the trace is damaged.
    std::span<const trace::event> next();

private:
    static constexpr std::size_t most_buffers = 4;
    static constexpr std::size_t buffer_events = std::size_t{1} << 14;

    void decode();
    /// Returns: false if the caller went away.
    bool hand_over(std::vector<trace::event>& filled);

    trace::reader& from_;
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

#include "profiler/program/event_stream.hpp"

namespace mallard::advisor {

event_stream::event_stream(trace::reader& reader, std::size_t process)
    : reader_(reader), free_(most_buffers) {
    reader_.begin(process);
    decoder_ = std::thread([this] { decode(); });
}

event_stream::~event_stream() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    decoder_.join();
}

void event_stream::decode() {
    try {
        std::vector<trace::event> buffer;
        for (std::span<const trace::event> events = reader_.next(); !events.empty();
             events = reader_.next()) {
            buffer.insert(buffer.end(), events.begin(), events.end());
            if (buffer.size() >= buffer_events && !hand_over(buffer)) {
                return;
            }
        }
        if (!buffer.empty() && !hand_over(buffer)) {
            return;
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
    }
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

bool event_stream::hand_over(std::vector<trace::event>& filled) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || !free_.empty(); });
    if (stop_) {
        return false;
    }
    filled_.push_back(std::move(filled));
    filled = std::move(free_.back());
    free_.pop_back();
    filled.clear();
    lock.unlock();
    changed_.notify_all();
    return true;
}

std::span<trace::event> event_stream::next() {
    std::unique_lock lock(mutex_);
    if (current_.capacity() != 0) {
        free_.push_back(std::move(current_));
    }
    current_ = {};
    changed_.notify_all();
    changed_.wait(lock, [this] { return ended_ || !filled_.empty(); });
    if (!filled_.empty()) {
        current_ = std::move(filled_.front());
        filled_.pop_front();
    } else if (failure_) {
        std::rethrow_exception(failure_);
    }
    return current_;
}

} // namespace mallard::advisor

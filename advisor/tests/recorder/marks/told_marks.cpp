#include "recorder/marks/told_marks.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace recorder_test {

namespace {

const char* mark_sign(record_kind kind) {
    switch (kind) {
    case record_kind::scope_begin:
        return "+";
    case record_kind::scope_end:
        return "-";
    case record_kind::progress:
        return "!";
    case record_kind::instance_begin:
        return "*";
    case record_kind::instance_enter:
        return ">";
    case record_kind::instance_leave:
        return "<";
    case record_kind::instance_end:
        return "~";
    default:
        return nullptr;
    }
}

} // namespace

std::string format_marks(const part& from, const std::vector<part_event>& events, bool with_blocks) {
    std::string words;
    for (const part_event& event : events) {
        if (const char* const sign = mark_sign(event.kind)) {
            words += sign + from.name(event) + " ";
        } else if (with_blocks && event.kind == record_kind::malloc && event.bytes >= 1000 &&
                   event.bytes < 10'000) {
            words += std::to_string(event.bytes) + " ";
        }
    }
    return words;
}

std::string without_blocks(const std::string& words) {
    std::istringstream in(words);
    std::string kept;
    for (std::string word; in >> word;) {
        if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
            kept += word + " ";
        }
    }
    return kept;
}

std::vector<part_event> thread_events(const part& from, std::uint64_t thread) {
    std::vector<part_event> result;
    std::copy_if(from.events.begin(), from.events.end(), std::back_inserter(result),
                 [thread](const part_event& event) { return event.thread == thread; });
    return result;
}

} // namespace recorder_test

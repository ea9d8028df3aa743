#include "recorder/marks/told_marks.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace recorder_test {

namespace {

const char* sign_of(record_kind kind) {
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

std::string words_of(const part& from, const std::vector<part_event>& events, bool with_blocks) {
    std::string words;
    for (const part_event& each : events) {
        if (const char* const sign = sign_of(each.kind)) {
            words += sign + from.name(each) + " ";
        } else if (with_blocks && each.kind == record_kind::malloc && each.bytes >= 1000 &&
                   each.bytes < 10'000) {
            words += std::to_string(each.bytes) + " ";
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

std::vector<part_event> of_thread(const part& from, std::uint64_t thread) {
    std::vector<part_event> found;
    std::copy_if(from.events.begin(), from.events.end(), std::back_inserter(found),
                 [thread](const part_event& each) { return each.thread == thread; });
    return found;
}

} // namespace recorder_test

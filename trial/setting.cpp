#include "trial/setting.hpp"

#include "recorder/system/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace mallard::trial {

namespace {

using recorder::value_of;

constexpr const char* prefix = "MALLARD_TRIAL";

template <std::size_t Bytes>
void keep(std::array<char, Bytes>& into, const char* text, std::size_t length) noexcept {
    const std::size_t kept = std::min(length, Bytes - 1);
    std::memcpy(into.data(), text, kept);
    into[kept] = 0;
}

std::uint64_t number(const char*& at, unsigned base) noexcept {
    std::uint64_t value = 0;
    for (;; ++at) {
        const char letter = *at;
        const unsigned digit = letter >= '0' && letter <= '9'   ? static_cast<unsigned>(letter - '0')
                               : letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a') + 10
                                                                : base;
        if (digit >= base) {
            return value;
        }
        value = value * base + digit;
    }
}

/// FILE:BEGIN-END,BEGIN;FILE:... A file's name may have a colon, its ranges have none.
void read_code(const char* text, code_ranges& into) noexcept {
    while (*text != 0) {
        const char* end = std::strchr(text, ';');
        if (end == nullptr) {
            end = text + std::strlen(text);
        }
        const char* colon = end;
        while (colon > text && *colon != ':') {
            --colon;
        }
        const char* at = colon + 1;
        while (at < end && into.count < code_ranges::most) {
            code_range& range = into.all[into.count++];
            keep(range.file, text, static_cast<std::size_t>(colon - text));
            range.begin = number(at, 16);
            if (*at == '-') {
                range.end = number(++at, 16);
            }
            ++at; // the comma, or the end
        }
        text = *end == 0 ? end : end + 1;
    }
}

void read_entry(char* entry, setting& into) noexcept {
    if (const char* const text = value_of(entry, "MALLARD_TRIAL=")) {
        into.served_by = strategy::named(text);
    } else if (const char* const code = value_of(entry, "MALLARD_TRIAL_CODE=")) {
        read_code(code, into.code);
    } else if (const char* const except = value_of(entry, "MALLARD_TRIAL_EXCEPT=")) {
        read_code(except, into.except);
    } else if (const char* const by = value_of(entry, "MALLARD_TRIAL_BY=")) {
        into.by = *by == 'm' ? detection::mark : *by == 'f' ? detection::functions : detection::stack;
    } else if (const char* const mark = value_of(entry, "MALLARD_TRIAL_MARK=")) {
        keep(into.mark, mark, std::strlen(mark));
    } else if (const char* const report = value_of(entry, "MALLARD_TRIAL_REPORT=")) {
        keep(into.report, report, std::strlen(report));
    } else if (const char* most = value_of(entry, "MALLARD_TRIAL_MOST_BYTES=")) {
        into.most_bytes = number(most, 10);
    } else if (const char* taken = value_of(entry, "MALLARD_TRIAL_MOST_TAKEN=")) {
        into.most_taken = number(taken, 10);
    } else if (const char* litter = value_of(entry, "MALLARD_TRIAL_LITTER=")) {
        into.litter = static_cast<std::uint32_t>(number(litter, 10));
    } else if (const char* delay = value_of(entry, "MALLARD_TRIAL_DELAY_NS=")) {
        into.delay_ns = static_cast<std::uint32_t>(number(delay, 10));
    }
}

} // namespace

setting setting::read() noexcept {
    setting found;
    bool asked = false;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        asked = asked || value_of(*entry, prefix) != nullptr;
        read_entry(*entry, found);
    }
    if (asked) {
        recorder::remove_variables(prefix);
    }
    return found;
}

} // namespace mallard::trial

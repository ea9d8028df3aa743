#include "trial/setting.hpp"

#include "recorder/system/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace mallard::trial {

namespace {

using recorder::value_of;

constexpr const char* prefix = "MALLARD_TRIAL";

template <std::size_t Bytes>
void copy(std::array<char, Bytes>& target, const char* text, std::size_t length) noexcept {
    const std::size_t copied = std::min(length, Bytes - 1);
    std::memcpy(target.data(), text, copied);
    target[copied] = 0;
}

/// Effects: copies a path, or the end of a longer one, which begins behind a slash.
template <std::size_t Bytes>
void copy_path(std::array<char, Bytes>& target, const char* path, std::size_t length) noexcept {
    while (length >= Bytes) {
        const void* const slash = std::memchr(path, '/', length);
        if (slash == nullptr) {
            break;
        }
        const char* const next = static_cast<const char*>(slash) + 1;
        length -= static_cast<std::size_t>(next - path);
        path = next;
    }
    copy(target, path, length);
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

/// Effects: calls `read` with the name of each file of FILE:LIST;FILE:LIST, its length, and the bounds of its list. A file's
/// name may have a colon, its list has none.
template <typename Read>
void for_each_file(const char* text, Read read) noexcept {
    while (*text != 0) {
        const char* end = std::strchr(text, ';');
        if (end == nullptr) {
            end = text + std::strlen(text);
        }
        const char* colon = end;
        while (colon > text && *colon != ':') {
            --colon;
        }
        read(text, static_cast<std::size_t>(colon - text), colon + 1, end);
        text = *end == 0 ? end : end + 1;
    }
}

/// FILE:BEGIN-END,BEGIN;FILE:...
void read_code(const char* text, code_ranges& ranges) noexcept {
    for_each_file(text, [&](const char* file, std::size_t length, const char* at, const char* end) {
        while (at < end && ranges.count < code_ranges::most) {
            code_range& range = ranges.all[ranges.count++];
            copy_path(range.file, file, length);
            range.begin = number(at, 16);
            if (*at == '-') {
                range.end = number(++at, 16);
            }
            ++at; // the comma, or the end
        }
    });
}

/// FILE:NODE.OFFSET+,NODE.OFFSET>NEXT;FILE:...
void read_rules(const char* text, rule_rows& rows) noexcept {
    for_each_file(text, [&](const char* file, std::size_t length, const char* at, const char* end) {
        if (rows.file_count == rule_rows::most_files) {
            return;
        }
        copy_path(rows.files[rows.file_count], file, length);
        while (at < end && rows.count < rule_rows::most) {
            rule_row& row = rows.all[rows.count++];
            row.file = rows.file_count;
            row.node = static_cast<std::uint32_t>(number(at, 16));
            row.offset = number(++at, 16);
            switch (*at++) {
            case '+':
                row.outcome = rule_row::inside;
                break;
            case '-':
                row.outcome = rule_row::outside;
                break;
            case 'x':
                row.outcome = rule_row::excluded;
                break;
            default:
                row.outcome = rule_row::first_node + static_cast<std::uint32_t>(number(at, 16));
            }
            ++at; // the comma, or the end
        }
        ++rows.file_count;
    });
}

void read_entry(char* entry, setting& result) noexcept {
    if (const char* const text = value_of(entry, "MALLARD_TRIAL=")) {
        result.served_by = strategy::named(text);
    } else if (const char* const code = value_of(entry, "MALLARD_TRIAL_CODE=")) {
        read_code(code, result.code);
    } else if (const char* const except = value_of(entry, "MALLARD_TRIAL_EXCEPT=")) {
        read_code(except, result.except);
    } else if (const char* const rules = value_of(entry, "MALLARD_TRIAL_RULES=")) {
        read_rules(rules, result.rules);
    } else if (const char* const by = value_of(entry, "MALLARD_TRIAL_BY=")) {
        result.by = *by == 'm' ? detection::mark : *by == 'f' ? detection::functions : detection::stack;
    } else if (const char* const mark = value_of(entry, "MALLARD_TRIAL_MARK=")) {
        copy(result.mark, mark, std::strlen(mark));
    } else if (const char* process = value_of(entry, "MALLARD_TRIAL_PROCESS=")) {
        result.instance = static_cast<std::uint32_t>(number(process, 10));
        process += *process == ':' ? 1 : 0;
        copy(result.process, process, std::strlen(process));
    } else if (const char* const recorded = value_of(entry, "MALLARD_TRIAL_RECORDED=")) {
        copy(result.recorded, recorded, std::strlen(recorded));
    } else if (const char* const report = value_of(entry, "MALLARD_TRIAL_REPORT=")) {
        copy(result.report, report, std::strlen(report));
    } else if (const char* most = value_of(entry, "MALLARD_TRIAL_MOST_BYTES=")) {
        result.most_bytes = number(most, 10);
    } else if (const char* reserved = value_of(entry, "MALLARD_TRIAL_RESERVE=")) {
        result.reserved_bytes = number(reserved, 10);
    } else if (const char* taken = value_of(entry, "MALLARD_TRIAL_MOST_TAKEN=")) {
        result.most_taken = number(taken, 10);
    } else if (const char* const age = value_of(entry, "MALLARD_TRIAL_AGE=")) {
        result.is_wrong = !history::read_model(age, result.age).empty();
    } else if (const char* const recording = value_of(entry, "MALLARD_TRIAL_HISTORY=")) {
        copy(result.recording, recording, std::strlen(recording));
    } else if (const char* const held = value_of(entry, "MALLARD_TRIAL_HELD=")) {
        result.reports_held = *held == '1';
    }
}

} // namespace

bool is_file(const char* path, const char* file) noexcept {
    const std::size_t length = std::strlen(path);
    const std::size_t end = std::strlen(file);
    if (end == 0 || length < end) {
        return length == end;
    }
    return std::strcmp(path + length - end, file) == 0 && (length == end || path[length - end - 1] == '/');
}

setting setting::read() noexcept {
    setting result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        result.is_requested = result.is_requested || value_of(*entry, prefix) != nullptr;
        read_entry(*entry, result);
    }
    return result;
}

void setting::remove_from_environment() noexcept {
    recorder::remove_variables(prefix);
}

} // namespace mallard::trial

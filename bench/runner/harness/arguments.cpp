#include "runner/harness/arguments.hpp"

#include <algorithm>
#include <charconv>

namespace bench {

namespace {

constexpr std::string_view flags[] = {"allow-unoptimised"};

std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

/// Effects: parses `text` as a number within [low, high] into `n`. Returns: true on success.
bool parse(std::string_view text, std::int64_t low, std::int64_t high, std::int64_t& n) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() && n >= low && n <= high;
}

[[noreturn]] void reject(std::string_view name, const std::string& value, const char* kind, std::int64_t low,
                         std::int64_t high) {
    throw usage_error("--" + std::string(name) + " '" + value + "': allowed are " + kind + " from " +
                      std::to_string(low) + " to " + std::to_string(high));
}

} // namespace

arguments::arguments(std::span<char* const> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (!word.starts_with("--")) {
            throw usage_error("unexpected word '" + std::string(word) + "': options are --name value");
        }
        const std::string name(word.substr(2));
        if (std::ranges::find(flags, name) != std::end(flags)) {
            values_[name] = "";
        } else if (++i == words.size()) {
            throw usage_error("--" + name + " needs a value");
        } else {
            values_[name] = words[i];
        }
    }
}

bool arguments::flag(std::string_view name) {
    known_.emplace_back(name);
    return values_.contains(name);
}

std::string arguments::text(std::string_view name, std::string_view default_value) {
    known_.emplace_back(name);
    const auto entry = values_.find(name);
    return entry == values_.end() ? std::string(default_value) : entry->second;
}

std::string arguments::choice(std::string_view name, const std::vector<std::string>& allowed,
                              std::string_view default_value) {
    const std::string value = text(name, default_value);
    if (std::ranges::find(allowed, value) == allowed.end()) {
        throw usage_error("--" + std::string(name) + " '" + value + "': allowed are " + list(allowed));
    }
    return value;
}

std::int64_t arguments::number(std::string_view name, std::int64_t default_value, std::int64_t low,
                               std::int64_t high) {
    const std::string value = text(name, std::to_string(default_value));
    std::int64_t n = 0;
    if (!parse(value, low, high, n)) {
        reject(name, value, "whole numbers", low, high);
    }
    return n;
}

std::vector<std::int64_t> arguments::numbers(std::string_view name, std::string_view default_value,
                                             std::int64_t low, std::int64_t high) {
    const std::string value = text(name, default_value);
    std::vector<std::int64_t> result;
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find(',', begin), value.size());
        if (!parse(std::string_view(value).substr(begin, end - begin), low, high, result.emplace_back())) {
            reject(name, value, "whole numbers, with commas between them,", low, high);
        }
        begin = end + 1;
    }
    return result;
}

void arguments::finish() const {
    for (const auto& [name, value] : values_) {
        if (std::ranges::find(known_, name) == known_.end()) {
            throw usage_error("unknown option --" + name + ": allowed are " + list(known_));
        }
    }
}

} // namespace bench

#include "bench/harness/arguments.hpp"

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

} // namespace

arguments::arguments(std::span<char* const> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (!word.starts_with("--")) {
            throw usage_error("unexpected word '" + std::string(word) + "': options are --name value");
        }
        const std::string name(word.substr(2));
        if (std::ranges::find(flags, name) != std::end(flags)) {
            given_[name] = "";
        } else if (++i == words.size()) {
            throw usage_error("--" + name + " needs a value");
        } else {
            given_[name] = words[i];
        }
    }
}

bool arguments::flag(std::string_view name) {
    known_.emplace_back(name);
    return given_.contains(name);
}

std::string arguments::text(std::string_view name, std::string_view otherwise) {
    known_.emplace_back(name);
    const auto found = given_.find(name);
    return found == given_.end() ? std::string(otherwise) : found->second;
}

std::string arguments::choice(std::string_view name, const std::vector<std::string>& allowed,
                              std::string_view otherwise) {
    const std::string value = text(name, otherwise);
    if (std::ranges::find(allowed, value) == allowed.end()) {
        throw usage_error("--" + std::string(name) + " '" + value + "': allowed are " + list(allowed));
    }
    return value;
}

std::int64_t arguments::number(std::string_view name, std::int64_t otherwise, std::int64_t low,
                               std::int64_t high) {
    const std::string value = text(name, std::to_string(otherwise));
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || n < low || n > high) {
        throw usage_error("--" + std::string(name) + " '" + value + "': allowed are whole numbers from " +
                          std::to_string(low) + " to " + std::to_string(high));
    }
    return n;
}

void arguments::finish() const {
    for (const auto& [name, value] : given_) {
        if (std::ranges::find(known_, name) == known_.end()) {
            throw usage_error("unknown option --" + name + ": allowed are " + list(known_));
        }
    }
}

} // namespace bench

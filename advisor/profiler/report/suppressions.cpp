#include "profiler/report/suppressions.hpp"

#include <algorithm>

namespace mallard::advisor {

namespace {

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

} // namespace

std::vector<std::string> read_suppressions(std::istream& from, const std::string& file) {
    constexpr std::string_view kind = "leak:";
    std::vector<std::string> patterns;
    std::size_t number = 0;
    for (std::string line; std::getline(from, line);) {
        ++number;
        const std::string_view text = trimmed(line);
        if (text.empty() || text.front() == '#') {
            continue;
        }
        if (!text.starts_with(kind) || text.size() == kind.size()) {
            throw wrong_suppression(
                "--suppress " + file + ", line " + std::to_string(number) + ": '" + std::string(text) +
                "' is not leak:PATTERN; write leak: and a part of the name of a function, "
                "source file or library, or # and a comment");
        }
        patterns.emplace_back(text.substr(kind.size()));
    }
    return patterns;
}

bool matches_suppression(std::string_view pattern, std::string_view name) {
    bool is_at_begin = pattern.starts_with('^');
    pattern.remove_prefix(is_at_begin ? 1 : 0);
    const bool is_to_end = pattern.ends_with('$');
    pattern.remove_suffix(is_to_end ? 1 : 0);
    for (;;) {
        const std::size_t star = pattern.find('*');
        const std::string_view part = pattern.substr(0, star);
        if (star == std::string_view::npos && is_to_end) {
            return is_at_begin ? name == part : name.ends_with(part);
        }
        const std::size_t at = name.find(part);
        if (at == std::string_view::npos || (is_at_begin && at != 0)) {
            return false;
        }
        if (star == std::string_view::npos) {
            return true;
        }
        name.remove_prefix(at + part.size());
        pattern.remove_prefix(star + 1);
        is_at_begin = false;
    }
}

std::size_t suppressions::find(trace::context_id stack) {
    for (trace::context_id node = stack; node >= trace::stack_ends; node = contexts_->parent(node)) {
        if (const std::size_t pattern = find_at_level(contexts_->address(node)); pattern != none) {
            return pattern;
        }
    }
    return none;
}

std::size_t suppressions::find_at_level(std::uint64_t level) {
    const auto [entry, is_new] = by_level_.try_emplace(level, none);
    if (!is_new) {
        return entry->second;
    }
    std::vector<std::string> texts;
    for (const named_place& place : names_->places(level)) {
        texts.insert(texts.end(), {place.name, place.short_name, place.file});
    }
    texts.push_back(names_->function(names_->function_at(level)).object);
    const auto match = std::ranges::find_if(patterns_, [&](const std::string& pattern) {
        return std::ranges::any_of(texts, [&](const std::string& text) {
            return !text.empty() && matches_suppression(pattern, text);
        });
    });
    if (match != patterns_.end()) {
        entry->second = static_cast<std::size_t>(match - patterns_.begin());
    }
    return entry->second;
}

} // namespace mallard::advisor

/// The command line of the runner: --name value.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// A mistake of the caller. The message has the wrong value and the allowed ones; the exit status is 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The parsed options. The experiment looks up each option that it knows; finish() reports the others.
class arguments {
public:
    /// Throws: usage_error if an option has no value, or an argument is not an option.
    explicit arguments(std::span<char* const> words);

    /// Returns: true if the flag is present.
    [[nodiscard]] bool flag(std::string_view name);

    /// Returns: the option's value, or else `default_value`.
    [[nodiscard]] std::string text(std::string_view name, std::string_view default_value);

    /// Returns: the option's value, or else `default_value`.
    /// Throws: usage_error if the value is not in `allowed`.
    [[nodiscard]] std::string choice(std::string_view name, const std::vector<std::string>& allowed,
                                     std::string_view default_value = "");

    /// Returns: the option's value, or else `default_value`.
    /// Throws: usage_error if the value is not a number within [low, high].
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t default_value, std::int64_t low,
                                      std::int64_t high);

    /// Returns: the numbers of a comma-separated list, or else those of `default_value`.
    /// Throws: usage_error if the list is empty, or has an element that is not a number within [low, high].
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name, std::string_view default_value,
                                                    std::int64_t low, std::int64_t high);

    /// Throws: usage_error if there is an option that was never looked up.
    void finish() const;

private:
    std::map<std::string, std::string, std::less<>> values_;
    std::vector<std::string> known_;
};

} // namespace bench

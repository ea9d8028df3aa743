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

/// The caller's mistake: what was given, what is allowed. The program prints it and exits with 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Every option that was given must be asked for; finish() reports those that nobody knows.
class arguments {
public:
    /// Throws: usage_error where an option has no value or what is given is no option.
    explicit arguments(std::span<char* const> words);

    /// Returns: whether the option without a value was given.
    [[nodiscard]] bool flag(std::string_view name);

    /// Returns: the value of the option, or `otherwise`.
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise);

    /// Returns: the value of the option, or `otherwise`.
    /// Throws: usage_error where that is not one of `allowed`.
    [[nodiscard]] std::string choice(std::string_view name, const std::vector<std::string>& allowed,
                                     std::string_view otherwise = "");

    /// Throws: usage_error where the value is no number, or outside [low, high].
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise, std::int64_t low,
                                      std::int64_t high);

    /// Returns: the numbers of a list with commas between them, or those of `otherwise`.
    /// Throws: usage_error where there is none, or one is no number or outside [low, high].
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name, std::string_view otherwise,
                                                    std::int64_t low, std::int64_t high);

    /// Throws: usage_error where an option was given that nobody asked for.
    void finish() const;

private:
    std::map<std::string, std::string, std::less<>> given_;
    std::vector<std::string> known_;
};

} // namespace bench

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

/// A mistake of the caller. The message has the wrong value and the allowed ones; the program exits with status
/// 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Options that were given. The experiment asks for each that it knows; finish() reports the others.
class arguments {
public:
    /// Throws: usage_error if an option has no value, or a word is not an option.
    explicit arguments(std::span<char* const> words);

    /// Returns: true if the option without a value was given.
    [[nodiscard]] bool flag(std::string_view name);

    /// Returns: the option's value; `otherwise` if it was not given.
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise);

    /// Returns: the option's value; `otherwise` if it was not given.
    /// Throws: usage_error if the value is none of `allowed`.
    [[nodiscard]] std::string choice(std::string_view name, const std::vector<std::string>& allowed,
                                     std::string_view otherwise = "");

    /// Returns: the option's value; `otherwise` if it was not given.
    /// Throws: usage_error if the value is not a number within [low, high].
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise, std::int64_t low,
                                      std::int64_t high);

    /// Returns: the numbers of a list with commas between them; those of `otherwise` if it was not given.
    /// Throws: usage_error if the list is empty, or has a word that is not a number within [low, high].
    [[nodiscard]] std::vector<std::int64_t> numbers(std::string_view name, std::string_view otherwise,
                                                    std::int64_t low, std::int64_t high);

    /// Throws: usage_error if an option was given that was never asked for.
    void finish() const;

private:
    std::map<std::string, std::string, std::less<>> given_;
    std::vector<std::string> known_;
};

} // namespace bench

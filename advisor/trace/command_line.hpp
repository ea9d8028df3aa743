/// The command line of a native program of the advisor: options before and after its words.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mallard::trace {

/// A mistake of the caller. The text has the wrong value and the allowed values.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The parsed options: `--flag`, `--name VALUE` or `--name=VALUE`. All words behind `--` are words of the program.
class command_line {
public:
    /// Throws: usage_error if an option is in neither list, or lacks its value.
    command_line(const std::vector<std::string>& words, std::initializer_list<std::string_view> flags,
                 std::initializer_list<std::string_view> options);

    [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
    [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
    /// Returns: the words that are not options, nor their values.
    [[nodiscard]] const std::vector<std::string>& words() const noexcept { return words_; }

private:
    std::map<std::string, std::string, std::less<>> values_; ///< by name; of flags empty
    std::vector<std::string> words_;
};

} // namespace mallard::trace

/// Numbers for human readers.
#pragma once

#include <cstdint>
#include <string>

namespace mallard::collect {

/// Returns: 1234567 as "1,234,567".
std::string with_commas(std::uint64_t number);

/// Returns: the share in percent, rounded down, so that only the total is 100 %.
std::string percent(std::uint64_t part, std::uint64_t total);

/// Returns: the number with `digits` decimals.
std::string decimal(double number, int digits);

/// Returns: "12.3 MB".
std::string bytes_in_words(std::uint64_t bytes);

/// Returns: "1 fork", "2 forks".
std::string counted(std::uint64_t number, const std::string& noun);

} // namespace mallard::collect

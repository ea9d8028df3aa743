#include "environment_number.hpp"

#include <mallard/core/cancellation.hpp>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

std::size_t environment_number(const char* variable, std::size_t default_value, std::size_t most) noexcept {
    const char* const text = std::getenv(variable);
    if (text == nullptr) {
        return default_value;
    }
    const char* const end = text + std::strlen(text);
    std::size_t number = 0;
    const auto [read, error] = std::from_chars(text, end, number);
    if (error == std::errc{} && read == end && number <= most) {
        return number;
    }
    // The program goes on. It did nothing wrong, and every check works with the default. Only misuse ends a
    // program, and a misuse handler expects nothing else.
    const core::cancellation_disabled meanwhile;
    std::fprintf(stderr, "mallard: %s is '%.64s'; allowed are whole numbers from 0 to %zu; %zu is used\n",
                 variable, text, most, default_value);
    return default_value;
}

}} // namespace mallard::checking::MALLARD_LIBRARY

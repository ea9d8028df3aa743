#include "environment_number.hpp"

#include <mallard/core/cancellation.hpp>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace mallard::checking::inline MALLARD_LIBRARY {

std::size_t environment_number(const char* variable, std::size_t usual, std::size_t most) noexcept {
    const char* const given = std::getenv(variable);
    if (given == nullptr) {
        return usual;
    }
    const char* const end = given + std::strlen(given);
    std::size_t number = 0;
    const auto [read, error] = std::from_chars(given, end, number);
    if (error == std::errc{} && read == end && number <= most) {
        return number;
    }
    // The program goes on. It did nothing wrong, and every check works with the usual number. Only misuse ends a
    // program, and a misuse handler expects nothing else.
    const core::cancellation_disabled meanwhile;
    std::fprintf(stderr, "mallard: %s is '%.64s'; allowed are whole numbers from 0 to %zu; %zu is used\n",
                 variable, given, most, usual);
    return usual;
}

} // namespace mallard::checking::inline MALLARD_LIBRARY

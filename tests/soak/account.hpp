/// The progress of a soak and its text output.
#pragma once

#include "soak/build.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace soak {

struct account {
    std::uint64_t seed = 0;
    std::uint64_t operations = 0;
    std::uint64_t turns = 0;
    double seconds = 0;
    std::map<std::string, std::uint64_t> by_allocator{};
};

/// Returns: a human-readable line: operations, operations per second, seed.
[[nodiscard]] std::string format_line(const account& a);

/// Returns: a line of JSON, without the newline.
[[nodiscard]] std::string format_json(const account& a, const build& build_info);

} // namespace soak

/// The account of a soak so far, and its text.
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

/// Returns: a line for people: operations, operations a second, seed.
[[nodiscard]] std::string line_of(const account& a);

/// Returns: a line of JSON, without the newline.
[[nodiscard]] std::string json_of(const account& a, const build& made_from);

} // namespace soak

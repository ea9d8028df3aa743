/// Decisions for fuzz::heap_operations that depend on a seed alone, with every compiler and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace fuzz {

inline std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> bytes;
    bytes.reserve(count + 8);
    while (bytes.size() < count) {
        const std::uint64_t word = random();
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes.push_back(static_cast<std::uint8_t>(word >> shift));
        }
    }
    return bytes;
}

} // namespace fuzz

/// Random numbers for timed parts: about a nanosecond each, without a read from memory.
#pragma once

#include <cstdint>

namespace bench {

/// A linear congruential generator of 64 bits with Knuth's constants. Results come from its upper half.
class quick_random {
public:
    explicit quick_random(std::uint64_t seed) noexcept : state_(seed * multiplier + increment) {}

    /// Returns: a number below `bound`.
    /// Requires: `bound` is at least 1 and at most 2^32.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
        state_ = state_ * multiplier + increment;
        return (state_ >> 32) * bound >> 32;
    }

private:
    static constexpr std::uint64_t multiplier = 6364136223846793005ULL;
    static constexpr std::uint64_t increment = 1442695040888963407ULL;

    std::uint64_t state_;
};

} // namespace bench

/// The random numbers of a soak: fast, and the same on every machine.
///
/// Source: Steele and others, "Fast splittable pseudorandom number generators" (2014), SplitMix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace soak {

/// Returns: `x` with its bits spread over all others.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

class random_numbers {
public:
    explicit constexpr random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] constexpr std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15); }

    /// Returns: a number from 0 to n - 1.
    /// Requires: `n` is not 0 and at most 2^32.
    [[nodiscard]] constexpr std::size_t below(std::size_t n) noexcept {
        return static_cast<std::size_t>(((next() >> 32) * n) >> 32);
    }

    [[nodiscard]] constexpr bool one_in(std::size_t n) noexcept { return below(n) == 0; }

private:
    std::uint64_t state_;
};

} // namespace soak

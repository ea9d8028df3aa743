/// A checksum of numbers in order. Equal checksums show that strategies built equal structures.
#pragma once

#include <cstdint>

namespace bench {

/// FNV-1a, one number at a time.
class checksum {
public:
    void add(std::uint64_t number) noexcept { sum_ = (sum_ ^ number) * prime; }

    [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

private:
    static constexpr std::uint64_t prime = 1099511628211ULL;

    std::uint64_t sum_ = 14695981039346656037ULL;
};

} // namespace bench

/// Random decisions and requests, the same on every machine: from a seed, or from bytes that a fuzzer chooses.
///
/// Source: Steele and others, "Fast splittable pseudorandom number generators" (2014), SplitMix.
#pragma once

#include "model/subject.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace model {

/// Returns: `x` with its bits spread over all others.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

class random_source {
public:
    explicit random_source(std::uint64_t seed) noexcept : state_(seed), seeded_(true) {}
    explicit random_source(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

    /// Returns: false if all bytes were used.
    [[nodiscard]] bool has_more() const noexcept { return seeded_ || !bytes_.empty(); }

    [[nodiscard]] std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15); }

    /// Returns: a number from 0 to n - 1, from as few bytes as can encode it; 0 if no byte is left.
    /// Requires: `n` is not 0 and at most 2^32.
    [[nodiscard]] std::size_t below(std::size_t n) noexcept {
        if (seeded_) {
            return static_cast<std::size_t>(((next() >> 32) * n) >> 32);
        }
        std::size_t drawn = 0;
        for (std::size_t range = n - 1; range != 0; range >>= 8) {
            drawn = drawn << 8 | byte();
        }
        return drawn % n;
    }

    [[nodiscard]] bool one_in(std::size_t n) noexcept { return below(n) == 0; }

private:
    [[nodiscard]] std::size_t byte() noexcept {
        if (bytes_.empty()) {
            return 0;
        }
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }

    std::span<const std::uint8_t> bytes_;
    std::uint64_t state_ = 0;
    bool seeded_ = false;
};

/// The requests of a run: of one size, a few or any, and their alignments; in a wide run, of any size and alignment.
class requests {
public:
    requests(const bounds& most, random_source& random, bool wide) : most_(most), random_(random) {
        if (wide) {
            manner_ = manner::wide;
            aligned_ = true;
            return;
        }
        manner_ = static_cast<manner>(random.below(5));
        aligned_ = random.one_in(4);
        for (std::size_t& bytes : few_) {
            bytes = std::min(any_size(), std::size_t{4096});
        }
    }

    [[nodiscard]] std::size_t bytes() {
        switch (manner_) {
        case manner::one_size:
            return few_[0];
        case manner::few_sizes:
            return few_[random_.below(few_.size())];
        case manner::tiny:
            return std::min(random_.below(40), most_.bytes);
        case manner::about_powers:
            return std::min((std::size_t{1} << random_.below(13)) - 1 + random_.below(3), most_.bytes);
        case manner::wide:
            return std::min(wide_size(), most_.bytes);
        default:
            return any_size();
        }
    }

    /// Returns: in a run that has aligned requests, any alignment in one case of four; else a fundamental one.
    [[nodiscard]] std::size_t alignment() {
        const std::size_t drawn = random_.below(56);
        const std::size_t any = std::size_t{1} << drawn % 14;
        return std::min(aligned_ && drawn < 14 ? any : std::size_t{16} >> drawn % 2, most_.alignment);
    }

private:
    enum class manner : std::uint8_t { one_size, few_sizes, tiny, about_powers, any, wide };

    /// Returns: mostly at most 256 bytes.
    [[nodiscard]] std::size_t any_size() {
        const std::size_t magnitude = random_.below(512);
        std::size_t drawn = random_.below(257);
        if (magnitude == 0) {
            drawn = random_.below(most_.bytes + 1);
        } else if (magnitude < 8) {
            drawn = random_.below(std::size_t{33} << 10);
        } else if (magnitude < 64) {
            drawn = random_.below(4097);
        }
        return std::min(drawn, most_.bytes);
    }

    /// Returns: usually small, occasionally up to a million, often near a power of two.
    [[nodiscard]] std::size_t wide_size() {
        const std::size_t magnitude = random_.below(16);
        if (magnitude < 9) {
            return random_.below(magnitude == 0 ? 8 : 256);
        }
        if (magnitude < 14) {
            return random_.below(magnitude < 13 ? std::size_t{4096} : std::size_t{64} << 10);
        }
        if (magnitude == 14) {
            const std::size_t power = std::size_t{64} << random_.below(14);
            return power - 64 + random_.below(128);
        }
        return random_.below(random_.one_in(8) ? std::size_t{1} << 20 : 1024);
    }

    const bounds& most_;
    random_source& random_;
    std::array<std::size_t, 4> few_{};
    manner manner_ = manner::any;
    bool aligned_ = false;
};

} // namespace model

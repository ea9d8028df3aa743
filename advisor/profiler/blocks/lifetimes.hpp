/// Histograms of the lifetimes of blocks: in bytes that the process allocated during their lives, and in time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mallard::advisor {

class lifetimes {
public:
    struct bucket {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = 0;
    };
    /// Element n is for values from 2^(n-1) to below 2^n; element 0 for 0.
    using histogram = std::array<bucket, 65>;

    explicit lifetimes(double ticks_per_second)
        : ns_per_tick_(ticks_per_second > 0 ? 1e9 / ticks_per_second : 1) {}

    void add(std::uint64_t bytes, std::uint64_t ticks, std::uint64_t clock) noexcept {
        add(by_clock_, bytes, clock);
        add(by_time_, bytes, static_cast<std::uint64_t>(static_cast<double>(ticks) * ns_per_tick_));
    }

    [[nodiscard]] const histogram& by_clock() const noexcept { return by_clock_; }
    [[nodiscard]] const histogram& by_time() const noexcept { return by_time_; }

private:
    static void add(histogram& to, std::uint64_t bytes, std::uint64_t value) noexcept {
        bucket& counts = to[static_cast<std::size_t>(std::bit_width(value))];
        ++counts.blocks;
        counts.bytes += bytes;
    }

    double ns_per_tick_;
    histogram by_clock_{};
    histogram by_time_{};
};

} // namespace mallard::advisor

// The mean ticks of a time stamp, on counters that advance by one, in steps, and slowly.

#include "recorder/system/stamp_cost.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using mallard::recorder::mean_stamp_ticks;

/// A counter that shows whole steps of the time, which passes by `cost` ticks at each stamp.
struct counter {
    double cost;
    std::uint64_t step = 1;
    double time = 0;

    std::uint64_t operator()() noexcept {
        time += cost;
        return static_cast<std::uint64_t>(time) / step * step;
    }
};

TEST(mean_stamp_ticks, are_exact_on_a_fine_counter) {
    EXPECT_DOUBLE_EQ(mean_stamp_ticks(counter{18}), 18);
}

TEST(mean_stamp_ticks, are_the_mean_of_steps) {
    EXPECT_NEAR(mean_stamp_ticks(counter{24.6, 26}), 24.6, 26.0 / 64);
    EXPECT_NEAR(mean_stamp_ticks(counter{31.2, 26}), 31.2, 26.0 / 64);
}

TEST(mean_stamp_ticks, are_below_one_on_a_slow_counter) {
    EXPECT_NEAR(mean_stamp_ticks(counter{0.3}), 0.3, 1.0 / 64);
    EXPECT_EQ(mean_stamp_ticks(counter{0}), 0);
}

TEST(mean_stamp_ticks, ignore_the_loss_of_the_processor) {
    counter quiet{20};
    unsigned stamps = 0;
    EXPECT_DOUBLE_EQ(mean_stamp_ticks([&] {
                         quiet.time += ++stamps % 150 == 0 ? 1e7 : 0;
                         return quiet();
                     }),
                     20);
}

} // namespace

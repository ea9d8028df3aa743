// Which process of a trace is profiled if none is named.

#include "profiler/program/process_choice.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace {

using mallard::advisor::busiest_processes;
using mallard::trace::process;

constexpr std::uint64_t ms = 1'000'000;

struct facts {
    std::uint64_t cpu_nanoseconds;
    std::uint64_t events = 100;
};

std::vector<std::size_t> busiest(std::initializer_list<facts> rows) {
    std::vector<process> processes;
    for (const facts& row : rows) {
        process& added = processes.emplace_back();
        added.cpu_nanoseconds = row.cpu_nanoseconds;
        added.events = row.events;
    }
    return busiest_processes(processes);
}

using indices = std::vector<std::size_t>;

TEST(busiest_processes, have_the_most_cpu_time) {
    EXPECT_EQ(busiest({{20 * ms, 100'000}, {980 * ms, 500}, {3 * ms}}), indices{1});
}

TEST(busiest_processes, are_several_within_a_tenth) {
    EXPECT_EQ(busiest({{900 * ms}, {1000 * ms}, {899 * ms}}), (indices{0, 1}));
}

TEST(busiest_processes, are_several_within_ten_milliseconds) {
    EXPECT_EQ(busiest({{1 * ms}, {11 * ms}, {12 * ms}}), (indices{1, 2}));
    EXPECT_EQ(busiest({{1 * ms}, {9 * ms}}), (indices{0, 1}));
}

TEST(busiest_processes, are_all_without_a_known_time) {
    EXPECT_EQ(busiest({{0}, {0}}), (indices{0, 1}));
}

TEST(busiest_processes, exclude_an_unknown_time_beside_a_long_one) {
    EXPECT_EQ(busiest({{0, 100'000}, {50 * ms}}), indices{1});
}

TEST(busiest_processes, have_events) {
    EXPECT_EQ(busiest({{900 * ms, 0}, {20 * ms}}), indices{1});
    EXPECT_EQ(busiest({{900 * ms, 0}}), indices{});
}

} // namespace

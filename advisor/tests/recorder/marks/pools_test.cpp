// Blocks of recorded allocators belong to their pools, in addition to malloc's.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace {

using namespace recorder_test;

struct pool_history {
    std::string words;
    std::uint64_t number = 0;
};

/// By name: `+bytes` for an allocation, `-` for a block that is freed, `release`, `back` with the number of allocations.
std::map<std::string, pool_history> read_pools(const part& from) {
    std::map<std::string, pool_history> histories;
    for (const part_event& event : from.events) {
        if (!mallard::trace::is_of_pool(event.kind)) {
            continue;
        }
        pool_history& history = histories[from.name(event)];
        EXPECT_TRUE(history.number == 0 || history.number == event.pool)
            << "each pool of the toy has a different name";
        history.number = event.pool;
        EXPECT_GE(event.levels.size(), 3U);
        if (event.kind == record_kind::pool_allocated) {
            history.words += "+" + std::to_string(event.bytes) + " ";
        } else if (event.kind == record_kind::pool_freed) {
            history.words += "- ";
        } else {
            history.words += event.kind == record_kind::pool_released
                                 ? "release "
                                 : "back" + std::to_string(event.bytes) + " ";
        }
    }
    return histories;
}

void expect_pools_of_toy(const part& from) {
    auto pools = read_pools(from);
    EXPECT_EQ(pools.size(), 3U);
    EXPECT_EQ(pools["nodes"].words, "+24 +40 - release release ");
    EXPECT_EQ(pools["?"].words, "+77 release ") << "a pool without a name";
    const std::string& arena = pools["arena"].words;
    EXPECT_EQ(arena.substr(arena.size() - 19), "+500 back1 release ");
}

TEST(recorded_pools, match_the_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "pools"});
    EXPECT_EQ(run.status, 0);
    expect_pools_of_toy(run.only());
    bool malloc_has_chunks = false;
    for (const part_event& event : run.only().events) {
        malloc_has_chunks = malloc_has_chunks || event.kind == record_kind::new_object ||
                            event.kind == record_kind::aligned_new_object ||
                            event.kind == record_kind::malloc;
    }
    EXPECT_TRUE(malloc_has_chunks);
}

TEST(recorded_pools, match_a_static_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY_STATIC, "pools"}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    expect_pools_of_toy(run.only());
}

} // namespace

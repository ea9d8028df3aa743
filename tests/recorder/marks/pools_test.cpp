// Blocks of recorded mechanisms are those of pools, beside malloc's.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace {

using namespace recorder_test;

struct pool_seen {
    std::string words;
    std::uint64_t number = 0;
};

/// By name: `+bytes` for an allocation, `-` for a block that is freed, `release`, `back` with the number of allocations.
std::map<std::string, pool_seen> pools_of(const part& from) {
    std::map<std::string, pool_seen> found;
    for (const part_event& each : from.events) {
        if (!mallard::trace::is_of_pool(each.kind)) {
            continue;
        }
        pool_seen& its = found[from.name(each)];
        EXPECT_TRUE(its.number == 0 || its.number == each.pool) << "each pool here has a name of its own";
        its.number = each.pool;
        EXPECT_GE(each.levels.size(), 3U);
        if (each.kind == record_kind::pool_allocated) {
            its.words += "+" + std::to_string(each.bytes) + " ";
        } else if (each.kind == record_kind::pool_freed) {
            its.words += "- ";
        } else {
            its.words += each.kind == record_kind::pool_released ? "release "
                                                                 : "back" + std::to_string(each.bytes) + " ";
        }
    }
    return found;
}

void expect_pools_of_toy(const part& from) {
    auto pools = pools_of(from);
    EXPECT_EQ(pools.size(), 3U);
    EXPECT_EQ(pools["nodes"].words, "+24 +40 - release release ");
    EXPECT_EQ(pools["?"].words, "+77 release ") << "a pool without a name";
    const std::string& arena = pools["arena"].words;
    EXPECT_EQ(arena.substr(arena.size() - 19), "+500 back1 release ");
}

TEST(recorded_pools, are_those_of_the_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "pools"});
    EXPECT_EQ(run.status, 0);
    expect_pools_of_toy(run.only());
    bool malloc_has_chunks = false;
    for (const part_event& each : run.only().events) {
        malloc_has_chunks = malloc_has_chunks || each.kind == record_kind::new_object ||
                            each.kind == record_kind::aligned_new_object || each.kind == record_kind::malloc;
    }
    EXPECT_TRUE(malloc_has_chunks);
}

TEST(recorded_pools, are_those_of_a_static_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY_STATIC, "pools"}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    expect_pools_of_toy(run.only());
}

} // namespace

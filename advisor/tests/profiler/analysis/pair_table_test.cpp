#include "profiler/blocks/pair_table.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::no_call;
using mallard::advisor::no_scope;
using mallard::advisor::pair_table;
using mallard::advisor::pair_totals;

TEST(pair_table, separates_pairs_by_calls_scope_and_thread) {
    pair_table table;
    table.add(1, 2, 3, false, 10, 5, 7);
    table.add(1, 2, 3, false, 20, 5, 7);
    table.add(1, 2, 3, true, 1, 0, 0);
    table.add(1, 2, no_scope, false, 1, 0, 0);
    table.add(2, 1, 3, false, 1, 0, 0);
    ASSERT_EQ(table.all().size(), 4U);
    EXPECT_EQ(table.all()[0].blocks, 2U);
    EXPECT_EQ(table.all()[0].bytes, 30U);
    EXPECT_EQ(table.all()[0].life_clock, 14);
}

TEST(pair_table, drops_freeing_calls_beyond_the_limit) {
    constexpr std::uint32_t most = 1000, calls = 50'000;
    pair_table table(most);
    for (std::uint32_t call = 0; call < calls; ++call) {
        table.add(7, call, 1, false, 1, 0, 0);
    }
    EXPECT_EQ(table.all().size(), most + 1);
    std::uint64_t blocks = 0;
    for (const pair_totals& pair : table.all()) {
        blocks += pair.blocks;
    }
    EXPECT_EQ(blocks, calls);
    EXPECT_EQ(table.all().back().freed, no_call);
    EXPECT_EQ(table.all().back().blocks, calls - most);
}

} // namespace

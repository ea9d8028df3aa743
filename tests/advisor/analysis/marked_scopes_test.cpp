/// Scopes, progress, instances and pools that the program tells of.
#include "tests/advisor/analysis/story.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::scope_totals;
using mallard::test::story;
using kind = mallard::trace::record_kind;

TEST(marked_scopes, are_told_apart_where_stacks_are_not) {
    story tell;
    tell.call("main");
    story::block last = 0;
    for (int round = 0; round < 3; ++round) {
        tell.mark(kind::scope_begin, 1);
        const story::block block = tell.allocate(10);
        last = tell.allocate(20, 2);
        tell.free(block, 3);
        tell.mark(kind::scope_end, 1);
    }
    tell.free(last, 4);
    const scope_totals& scope = tell.marked(1);
    EXPECT_EQ(scope.seen, 3U);
    EXPECT_EQ(scope.allocations, 6U);
    EXPECT_EQ(scope.contained, 3U);
    EXPECT_EQ(scope.owned, 3U);
    EXPECT_EQ(scope.highest_peak, 30U);
    EXPECT_EQ(tell.scope("main").seen, 1U);
}

TEST(marked_scopes, nest_and_the_outermost_of_one_name_counts) {
    story tell;
    tell.call("main");
    tell.mark(kind::scope_begin, 1);
    tell.mark(kind::scope_begin, 2);
    tell.mark(kind::scope_begin, 1);
    const story::block block = tell.allocate(10);
    tell.mark(kind::scope_end, 1);
    tell.free(block, 2);
    tell.mark(kind::scope_end, 2);
    tell.mark(kind::scope_end, 1);
    EXPECT_EQ(tell.marked(1).seen, 1U);
    EXPECT_EQ(tell.marked(1).contained, 1U);
    EXPECT_EQ(tell.marked(1).owned, 0U);
    EXPECT_EQ(tell.marked(2).owned, 1U);
}

TEST(marked_scopes, an_end_closes_inner_scopes_that_did_not_tell_and_one_without_a_beginning_is_counted) {
    story tell;
    tell.call("main");
    tell.mark(kind::scope_begin, 1);
    tell.mark(kind::scope_begin, 2);
    const story::block block = tell.allocate(10);
    tell.mark(kind::scope_end, 1);
    tell.mark(kind::scope_end, 2);
    tell.free(block, 2);
    EXPECT_EQ(tell.marked(2).seen, 1U);
    EXPECT_EQ(tell.marked(2).contained, 0U);
    EXPECT_EQ(tell.analysis().marked().unmatched_ends(), 1U);
}

TEST(marked_scopes, need_no_stacks) {
    story tell;
    tell.lose_stacks(true);
    tell.mark(kind::scope_begin, 1);
    tell.free(tell.allocate(10));
    tell.mark(kind::scope_end, 1);
    EXPECT_EQ(tell.marked(1).contained, 1U);
    tell.marked_names = {"", "request"};
    EXPECT_NE(tell.profile().find(R"({"name":"request","kind":"marker")"), std::string::npos);
}

TEST(marked_scopes, progress_has_a_count_and_a_rate) {
    story tell;
    tell.call("main");
    for (int round = 0; round < 5; ++round) {
        tell.free(tell.allocate(10), 2);
        tell.wait(97);
        tell.mark(kind::progress, 3);
    }
    const std::string profile = tell.profile();
    EXPECT_NE(profile.find(R"("count":5,"per_second":)"), std::string::npos);
    EXPECT_NE(profile.find(R"("allocations_between":1})"), std::string::npos);
    const auto& count = tell.analysis().progress().at(3);
    EXPECT_EQ(count.last_ticks - count.first_ticks, 400U);
}

TEST(marked_scopes, an_instance_contains_blocks_of_all_threads_that_work_for_it) {
    story tell;
    constexpr std::uint64_t task = std::uint64_t{5} << 16 | 1;
    tell.call("main");
    tell.mark(kind::instance_begin, task);
    tell.mark(kind::instance_enter, task);
    const story::block first = tell.allocate(10);
    tell.mark(kind::instance_leave, task);
    const story::block other = tell.allocate(1000);
    tell.in_thread(1).call("worker");
    tell.mark(kind::instance_enter, task);
    const story::block second = tell.allocate(20);
    tell.free(first);
    tell.mark(kind::instance_leave, task);
    tell.mark(kind::instance_end, task);
    tell.free(second);
    tell.free(other);
    const auto& sums = tell.analysis().all_instances().by_name().at(1);
    EXPECT_EQ(sums.instances, 1U);
    EXPECT_EQ(sums.allocated.bytes, 30U);
    EXPECT_EQ(sums.contained.bytes, 10U);
    EXPECT_EQ(sums.escaped.bytes, 20U);
}

TEST(marked_scopes, blocks_of_pools_are_others_than_those_of_malloc) {
    story tell;
    constexpr std::uint64_t pool = std::uint64_t{9} << 16 | 2;
    tell.call("main");
    const story::block chunk = tell.allocate(4096);
    tell.mark(kind::pool_allocated, chunk, 100, pool);
    tell.mark(kind::pool_allocated, chunk + 100, 200, pool);
    tell.mark(kind::pool_freed, chunk, 0, pool);
    tell.mark(kind::pool_allocated, chunk, 50, pool);
    tell.mark(kind::pool_rolled_back, 0, 1, pool);
    tell.mark(kind::pool_released, 0, 0, pool);
    tell.free(chunk, 2);
    const auto& sums = tell.analysis().pools().by_name().at(2);
    EXPECT_EQ(sums.pools, 1U);
    EXPECT_EQ(sums.allocations, 3U);
    EXPECT_EQ(sums.bytes, 350U);
    EXPECT_EQ(sums.frees, 1U);
    EXPECT_EQ(sums.peak_bytes, 300U);
    EXPECT_EQ(sums.live_bytes, 0U);
    EXPECT_EQ(sums.releases, 1U);
    EXPECT_EQ(tell.analysis().whole().allocations, 1U);
    EXPECT_EQ(tell.scope("main").contained, 1U);
    EXPECT_EQ(sums.first_wrong, 0U);
}

TEST(marked_scopes, know_the_owners_of_blocks_that_the_wrong_pool_frees) {
    story tell;
    constexpr std::uint64_t one = std::uint64_t{1} << 16 | 2, other = std::uint64_t{2} << 16 | 3;
    tell.call("main");
    const story::block chunk = tell.allocate(4096), apart = tell.allocate(64);
    tell.mark(kind::pool_allocated, chunk + 16, 100, one);
    tell.mark(kind::pool_allocated, chunk + 216, 100, one);
    tell.mark(kind::pool_freed, chunk + 16, 0, other);
    tell.mark(kind::pool_freed, apart, 0, other);
    tell.free(chunk + 216, 2);
    tell.mark(kind::pool_released, 0, 0, one);
    tell.mark(kind::pool_freed, chunk + 16, 0, one);
    tell.mark(kind::pool_freed, chunk + 16, 0, one);
    tell.free(chunk + 216, 2); // of nobody
    const auto& by_name = tell.analysis().pools().by_name();
    EXPECT_EQ(by_name.at(2).freed_after_end, 2U);
    EXPECT_EQ(by_name.at(2).freed_by_malloc, 1U);
    EXPECT_EQ(by_name.at(2).freed_of_other + by_name.at(2).freed_of_malloc, 0U);
    EXPECT_EQ(by_name.at(3).freed_of_other, 1U);
    EXPECT_EQ(by_name.at(3).freed_of_malloc, 1U);
    EXPECT_EQ(by_name.at(3).freed_after_end, 0U);
    EXPECT_NE(by_name.at(2).first_wrong, 0U);
    EXPECT_EQ(tell.analysis().counted().foreign_frees, 2U);
    EXPECT_NE(tell.profile().find(R"("wrong_frees":)"), std::string::npos);
}

} // namespace

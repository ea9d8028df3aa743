/// Scopes, progress, instances and pools that the program reports.
#include "profiler/analysis/story.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::scope_totals;
using mallard::test::story;
using kind = mallard::trace::record_kind;

TEST(marked_scopes, need_no_stacks) {
    story program;
    program.lose_stacks(true);
    program.mark(kind::scope_begin, 1);
    program.free(program.allocate(10));
    program.mark(kind::scope_end, 1);
    EXPECT_EQ(program.marked(1).contained, 1U);
    program.marked_names = {"", "request"};
    EXPECT_NE(program.profile().find(R"({"name":"request","kind":"marker")"), std::string::npos);
}

TEST(marked_scopes, progress_has_a_count_and_a_rate) {
    story program;
    program.call("main");
    for (int round = 0; round < 5; ++round) {
        program.free(program.allocate(10), 2);
        program.wait(97);
        program.mark(kind::progress, 3);
    }
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("count":5,"per_second":)"), std::string::npos);
    EXPECT_NE(profile.find(R"("allocations_between":1})"), std::string::npos);
    const auto& count = program.analysis().progress().at(3);
    EXPECT_EQ(count.last_ticks - count.first_ticks, 400U);
}

TEST(marked_scopes, count_pool_blocks_separately_from_malloc) {
    story program;
    constexpr std::uint64_t pool = std::uint64_t{9} << 16 | 2;
    program.call("main");
    const story::block chunk = program.allocate(4096);
    program.mark(kind::pool_allocated, chunk, 100, pool);
    program.mark(kind::pool_allocated, chunk + 100, 200, pool);
    program.mark(kind::pool_freed, chunk, 0, pool);
    program.mark(kind::pool_allocated, chunk, 50, pool);
    program.mark(kind::pool_rolled_back, 0, 1, pool);
    program.mark(kind::pool_released, 0, 0, pool);
    program.free(chunk, 2);
    const auto& sums = program.analysis().pools().by_name().at(2);
    EXPECT_EQ(sums.pools, 1U);
    EXPECT_EQ(sums.allocations, 3U);
    EXPECT_EQ(sums.bytes, 350U);
    EXPECT_EQ(sums.frees, 1U);
    EXPECT_EQ(sums.peak_bytes, 300U);
    EXPECT_EQ(sums.live_bytes, 0U);
    EXPECT_EQ(sums.releases, 1U);
    EXPECT_EQ(program.analysis().process_totals().allocations, 1U);
    EXPECT_EQ(program.scope("main").contained, 1U);
    EXPECT_EQ(sums.first_wrong, 0U);
}

TEST(marked_scopes, report_owners_of_wrongly_freed_blocks) {
    story program;
    constexpr std::uint64_t first = std::uint64_t{1} << 16 | 2, second = std::uint64_t{2} << 16 | 3;
    program.call("main");
    const story::block chunk = program.allocate(4096), outside = program.allocate(64);
    program.mark(kind::pool_allocated, chunk + 16, 100, first);
    program.mark(kind::pool_allocated, chunk + 216, 100, first);
    program.mark(kind::pool_freed, chunk + 16, 0, second);
    program.mark(kind::pool_freed, outside, 0, second);
    program.free(chunk + 216, 2);
    program.mark(kind::pool_released, 0, 0, first);
    program.mark(kind::pool_freed, chunk + 16, 0, first);
    program.mark(kind::pool_freed, chunk + 16, 0, first);
    program.free(chunk + 216, 2); // of nobody
    const auto& by_name = program.analysis().pools().by_name();
    EXPECT_EQ(by_name.at(2).stale_frees, 2U);
    EXPECT_EQ(by_name.at(2).frees_by_malloc, 1U);
    EXPECT_EQ(by_name.at(2).wrong_pool_frees + by_name.at(2).malloc_block_frees, 0U);
    EXPECT_EQ(by_name.at(3).wrong_pool_frees, 1U);
    EXPECT_EQ(by_name.at(3).malloc_block_frees, 1U);
    EXPECT_EQ(by_name.at(3).stale_frees, 0U);
    EXPECT_NE(by_name.at(2).first_wrong, 0U);
    EXPECT_EQ(program.analysis().counted().foreign_frees, 2U);
    EXPECT_NE(program.profile().find(R"("wrong_frees":)"), std::string::npos);
}

} // namespace

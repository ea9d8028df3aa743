// The number of calls is bounded: contexts that differ inside of a recursion share one, without a change of its sums.
#include "profiler/blocks/call_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace mallard::advisor;
using mallard::trace::context_id;
using mallard::trace::context_tree;
using mallard::trace::stack_end;

class call_table_limit : public testing::Test {
protected:
    /// Returns: the context with these levels, the outermost one first. A level's function is its tens.
    context_id add(const std::vector<std::uint64_t>& levels, stack_end end = stack_end::null) {
        context_id node = context_tree::root(end);
        for (const std::uint64_t level : levels) {
            node = contexts.child(node, level);
        }
        contexts.end_run();
        stacks.add_new([](std::uint64_t level) { return static_cast<scope_id>(level / 10); });
        return node;
    }

    /// Returns: levels of a recursion, and the six innermost ones.
    static std::vector<std::uint64_t> recursion(std::vector<std::uint64_t> levels, std::uint64_t last) {
        for (const std::uint64_t level : {50U, 51U, 52U, 53U, 54U}) {
            levels.push_back(level);
        }
        levels.push_back(last);
        return levels;
    }

    context_tree contexts;
    scope_tree stacks{contexts, {}};
};

TEST_F(call_table_limit, is_not_noticed_below) {
    call_table calls(stacks, 2);
    const call_id first = calls.find_or_add(add(recursion({10, 20, 10, 20}, 90)));
    const call_id second = calls.find_or_add(add(recursion({10, 20, 10, 10, 20}, 90)));
    EXPECT_NE(first, second);
    EXPECT_EQ(calls.shared_contexts(), 0U);
}

TEST_F(call_table_limit, joins_stacks_that_differ_in_recursion) {
    call_table calls(stacks, 1);
    calls.find_or_add(add({10}));
    const context_id example = add(recursion({10, 20, 10, 20}, 90));
    const call_id shared = calls.find_or_add(example);
    calls.allocated(shared, 24);
    const context_id deeper = add(recursion({10, 20, 11, 10, 21, 20}, 90));
    EXPECT_EQ(calls.find_or_add(deeper), shared);
    EXPECT_EQ(calls.find_or_add(deeper), shared);
    calls.allocated(shared, 40);
    EXPECT_EQ(calls.shared_contexts(), 1U);
    EXPECT_EQ(calls[shared].context, example);
    EXPECT_EQ(calls[shared].bytes, 64U);
}

TEST_F(call_table_limit, separates_what_figures_depend_on) {
    call_table calls(stacks, 100);
    for (std::uint64_t filler = 1; filler <= 100; ++filler) {
        calls.find_or_add(add({filler * 1000}));
    }
    const call_id shared = calls.find_or_add(add(recursion({10, 20}, 90)));
    EXPECT_NE(calls.find_or_add(add(recursion({10, 20}, 91))), shared) << "another site";
    EXPECT_NE(calls.find_or_add(add(recursion({10, 20, 30}, 90))), shared) << "another function";
    EXPECT_NE(calls.find_or_add(add(recursion({20, 10}, 90))), shared) << "another order";
    EXPECT_NE(calls.find_or_add(add(recursion({10, 20}, 90), stack_end::outermost)), shared) << "another end";
    EXPECT_EQ(calls.shared_contexts(), 0U);
}

// The documented limit: a level is a site of its own up to six levels outside of the allocation, and not beyond.
TEST_F(call_table_limit, keeps_sites_within_six_levels_apart) {
    const std::vector<std::uint64_t> levels{10, 20, 30, 40, 50, 60, 70, 80, 90};
    constexpr std::size_t exact_levels = 6;
    for (std::size_t outside = 0; outside < levels.size(); ++outside) {
        call_table calls(stacks, 1);
        calls.find_or_add(add({100}));
        const call_id first = calls.find_or_add(add(levels));
        // Another line of the same function.
        std::vector<std::uint64_t> another = levels;
        ++another[levels.size() - 1 - outside];
        const call_id second = calls.find_or_add(add(another));
        EXPECT_EQ(second != first, outside < exact_levels) << outside;
        EXPECT_EQ(calls.shared_contexts(), outside < exact_levels ? 0U : 1U) << outside;
    }
}

TEST_F(call_table_limit, holds_without_recursion) {
    constexpr std::uint64_t most = 50, contexts_of_a_site = 1000;
    call_table calls(stacks, most);
    std::uint64_t allocations = 0;
    for (std::uint64_t context = 0; context < contexts_of_a_site; ++context) {
        for (const std::uint64_t site : {90U, 91U}) {
            const call_id call = calls.find_or_add(add({(context + 100) * 10, site}));
            calls.allocated(call, 8);
        }
    }
    EXPECT_EQ(calls.all().size(), 2 * most + 2);
    for (const call_totals& call : calls.all()) {
        allocations += call.allocations;
    }
    EXPECT_EQ(allocations, 2 * contexts_of_a_site);
    EXPECT_EQ(calls.shared_contexts(), 2 * contexts_of_a_site - calls.all().size());
}

} // namespace

// Inlined functions are levels of their own, as if they had been called.
#include "profiler/scopes/inlined_stacks.hpp"
#include "profiler/scopes/thread_scopes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace mallard::advisor;
using mallard::trace::context_id;
using mallard::trace::context_tree;
using mallard::trace::stack_end;
namespace trace = mallard::trace;

constexpr std::uint64_t main_level = 0x50;

/// Two calls of a function are inlined at 0x100 to 0x1ff and 0x200 to 0x2ff, and another one into the latter from 0x280 on.
void find_levels(std::uint64_t recorded, std::vector<std::uint64_t>& levels) {
    unsigned depth = 0;
    if (recorded >= 0x100 && recorded < 0x300) {
        levels.push_back(calling_level(depth++, recorded / 0x100 * 0x100 + 1));
    }
    if (recorded >= 0x280 && recorded < 0x300) {
        levels.push_back(calling_level(depth++, 0x281));
    }
    levels.push_back(inlined_level(depth, recorded));
}

class inlined_levels : public testing::Test {
protected:
    context_id add(const std::vector<std::uint64_t>& levels) {
        context_id node = context_tree::root(stack_end::null);
        for (const std::uint64_t level : levels) {
            node = recorded.child(node, level);
        }
        return node;
    }

    static std::vector<std::uint64_t> levels(const inlined_stacks& stacks, context_id node) {
        std::vector<std::uint64_t> all;
        for (; node >= trace::stack_ends; node = stacks.contexts().parent(node)) {
            all.insert(all.begin(), stacks.contexts().address(node));
        }
        return all;
    }

    static trace::event event(context_id context, std::uint32_t kept, std::uint32_t thread = 0) {
        trace::event allocation;
        allocation.kind = trace::record_kind::malloc;
        allocation.context = context;
        allocation.kept = kept;
        allocation.thread = thread;
        return allocation;
    }

    context_tree recorded;
};

TEST_F(inlined_levels, are_between_their_caller_and_the_address) {
    const context_id nested = add({main_level, 0x290, 0x60});
    inlined_stacks stacks(recorded, find_levels);
    std::vector<trace::event> events{event(nested, 0)};
    stacks.expand(events);
    const std::vector<std::uint64_t> expected{main_level, calling_level(0, 0x201), calling_level(1, 0x281),
                                              inlined_level(2, 0x290), 0x60};
    EXPECT_EQ(levels(stacks, events[0].context), expected);
    EXPECT_EQ(stacks.contexts().root_end(events[0].context), stack_end::null);
    EXPECT_TRUE(calls_inlined(expected[2]));
    EXPECT_FALSE(calls_inlined(expected[3]));
    EXPECT_EQ(inlined_depth(expected[3]), 2u);
    EXPECT_EQ(recorded_level(expected[3]), 0x290u);
}

TEST_F(inlined_levels, go_on_in_the_same_code) {
    const context_id first = add({main_level, 0x110});
    const context_id second = add({main_level, 0x120});
    const context_id other_call = add({main_level, 0x210});
    const context_id outside = add({main_level, 0x310});
    inlined_stacks stacks(recorded, find_levels);
    std::vector<trace::event> events{event(first, 0),      event(second, 1), event(second, 2),
                                     event(other_call, 1), event(first, 1),  event(outside, 1),
                                     event(first, 1),      event(first, 0),  event(second, 0, 1)};
    stacks.expand(events);
    EXPECT_EQ(stacks.contexts().parent(events[0].context), stacks.contexts().parent(events[1].context));
    EXPECT_EQ(events[0].kept, 0u);
    EXPECT_EQ(events[1].kept, 2u) << "the call is the same, its address is another";
    EXPECT_EQ(events[2].kept, 3u);
    EXPECT_EQ(events[3].kept, 1u) << "another call of the function";
    EXPECT_EQ(events[4].kept, 1u);
    EXPECT_EQ(events[5].kept, 1u);
    EXPECT_EQ(events[6].kept, 1u);
    EXPECT_EQ(events[7].kept, 0u) << "another call of the compiled function";
    EXPECT_EQ(events[8].kept, 0u) << "another thread";
}

TEST_F(inlined_levels, need_no_second_tree_without_inlined_functions) {
    const context_id context = add({main_level, 0x310});
    inlined_stacks stacks(recorded, find_levels);
    EXPECT_EQ(&stacks.contexts(), &recorded);
    std::vector<trace::event> events{event(context, 1)};
    stacks.expand(events);
    EXPECT_EQ(events[0].context, context);
    EXPECT_EQ(events[0].kept, 1u);
}

TEST_F(inlined_levels, accept_damaged_counts_of_kept_levels) {
    const context_id context = add({main_level, 0x110});
    inlined_stacks stacks(recorded, find_levels);
    std::vector<trace::event> events{event(context, 1'000'000),
                                     event(context_tree::root(stack_end::null), 7)};
    stacks.expand(events);
    EXPECT_EQ(events[0].kept, 0u);
    EXPECT_EQ(events[1].kept, 0u);
}

TEST_F(inlined_levels, keep_the_children_of_many_calls_apart) {
    std::vector<trace::event> events;
    for (std::uint64_t caller = 0; caller < 3000; ++caller) {
        events.push_back(event(add({0x1000 + caller, 0x110}), 0));
        events.push_back(event(add({0x1000 + caller, 0x120}), 1));
    }
    inlined_stacks stacks(recorded, find_levels);
    stacks.expand(events);
    for (std::size_t at = 0; at < events.size(); at += 2) {
        const std::vector<std::uint64_t> expected{0x1000 + at / 2, calling_level(0, 0x101),
                                                  inlined_level(1, 0x110)};
        ASSERT_EQ(levels(stacks, events[at].context), expected);
        ASSERT_EQ(stacks.contexts().parent(events[at].context),
                  stacks.contexts().parent(events[at + 1].context));
        ASSERT_EQ(events[at + 1].kept, 2u);
    }
    EXPECT_EQ(stacks.contexts().size(), trace::stack_ends + 3000u * 4);
}

/// A function may have been called again if one that is inlined into it steps back: both have one return address.
TEST_F(inlined_levels, step_back_with_their_compiled_function) {
    constexpr scope_id main = 0;
    constexpr scope_id compiled = 1;
    constexpr scope_id inlined = 2;
    const auto find_function = [](std::uint64_t level) {
        return level == main_level ? main : inlined_depth(level) == 0 ? compiled : inlined;
    };
    const context_id first = add({main_level, 0x110});
    const context_id second = add({main_level, 0x120});
    const context_id outside = add({main_level, 0x118});
    std::vector<trace::event> events{event(first, 0), event(second, 1), event(first, 1),
                                     event(first, 2), event(second, 1), event(outside, 1)};
    const auto find_outside = [&](std::uint64_t level, std::vector<std::uint64_t>& levels) {
        if (level == 0x118) {
            levels.push_back(level);
        } else {
            find_levels(level, levels);
        }
    };
    const auto steps_back = [&](inlined_stacks& stacks, std::vector<trace::event> followed) {
        stacks.expand(followed);
        const scope_tree tree(stacks.contexts(), find_function);
        thread_scopes thread;
        std::vector<scope_totals> totals(3);
        for (std::uint64_t number = 0; const trace::event& step : followed) {
            thread.follow(tree, step.context, step.kept, number, number, totals);
            ++number;
        }
        return std::vector<std::uint64_t>{totals[main].steps_back, totals[compiled].steps_back,
                                          totals[inlined].steps_back};
    };
    inlined_stacks without(
        recorded, [](std::uint64_t level, std::vector<std::uint64_t>& levels) { levels.push_back(level); });
    inlined_stacks with(recorded, find_outside);
    EXPECT_EQ(steps_back(without, events), (std::vector<std::uint64_t>{0, 3, 0}));
    EXPECT_EQ(steps_back(with, events), (std::vector<std::uint64_t>{0, 3, 2}));
}

} // namespace

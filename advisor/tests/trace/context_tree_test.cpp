#include "trace/context_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using mallard::trace::context_id;
using mallard::trace::context_tree;
using mallard::trace::stack_end;

TEST(context_tree, gives_equal_stacks_equal_numbers) {
    context_tree tree;
    const context_id root = context_tree::root(stack_end::outermost);
    const context_id main = tree.child(root, 100);
    EXPECT_EQ(tree.child(root, 100), main);
    EXPECT_NE(tree.child(root, 101), main);
    EXPECT_NE(tree.child(main, 100), main);
    EXPECT_EQ(tree[tree.child(main, 100)].depth, 2U);
}

TEST(context_tree, returns_the_end_of_a_stack) {
    context_tree tree;
    const context_id fiber_call = tree.child(context_tree::root(stack_end::null), 7);
    EXPECT_EQ(tree.root_end(tree.child(fiber_call, 8)), stack_end::null);
    EXPECT_NE(tree.child(context_tree::root(stack_end::loader), 7), fiber_call);
}

TEST(context_tree, keeps_all_nodes_while_growing) {
    context_tree tree;
    context_id last = context_tree::root(stack_end::outermost);
    std::vector<context_id> nodes;
    for (std::uint64_t index = 0; index < 200'000; ++index) { // more addresses than two bytes number
        nodes.push_back(
            last = tree.child(index % 3 == 0 ? context_tree::root(stack_end::outermost) : last, index / 2));
    }
    last = context_tree::root(stack_end::outermost);
    for (std::uint64_t index = 0; index < nodes.size(); ++index) {
        last = tree.child(index % 3 == 0 ? context_tree::root(stack_end::outermost) : last, index / 2);
        ASSERT_EQ(last, nodes[index]);
    }
}

} // namespace

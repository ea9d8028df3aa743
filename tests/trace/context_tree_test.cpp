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

TEST(context_tree, tells_how_a_stack_ends) {
    context_tree tree;
    const context_id of_fiber = tree.child(context_tree::root(stack_end::null), 7);
    EXPECT_EQ(tree.end_of(tree.child(of_fiber, 8)), stack_end::null);
    EXPECT_NE(tree.child(context_tree::root(stack_end::loader), 7), of_fiber);
}

TEST(context_tree, keeps_its_nodes_when_it_grows) {
    context_tree tree;
    context_id last = context_tree::root(stack_end::outermost);
    std::vector<context_id> made;
    for (std::uint64_t each = 0; each < 100'000; ++each) {
        made.push_back(
            last = tree.child(each % 3 == 0 ? context_tree::root(stack_end::outermost) : last, each / 2));
    }
    last = context_tree::root(stack_end::outermost);
    for (std::uint64_t each = 0; each < made.size(); ++each) {
        last = tree.child(each % 3 == 0 ? context_tree::root(stack_end::outermost) : last, each / 2);
        ASSERT_EQ(last, made[each]);
    }
}

} // namespace

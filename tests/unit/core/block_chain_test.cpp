#include <mallard/core/block_chain.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace {

/// Blocks of 12 bytes, by number: every second one lies at no multiple of 8.
class block_chain : public ::testing::Test {
protected:
    void* block(std::size_t i) { return memory_.at(i).data(); }

    static std::vector<void*> list_blocks(mallard::block_chain& chain) {
        std::vector<void*> blocks;
        while (void* p = chain.pop_front()) {
            blocks.push_back(p);
        }
        return blocks;
    }

    std::vector<void*> blocks(std::initializer_list<std::size_t> numbers) {
        std::vector<void*> result;
        for (const std::size_t i : numbers) {
            result.push_back(block(i));
        }
        return result;
    }

    mallard::block_chain chain(std::initializer_list<std::size_t> numbers) {
        mallard::block_chain result;
        for (const std::size_t i : numbers) {
            result.push_back(block(i));
        }
        return result;
    }

private:
    alignas(8) std::array<std::array<std::byte, 12>, 8> memory_{};
};

TEST_F(block_chain, keeps_insertion_order) {
    mallard::block_chain some;
    some.push_back(block(3));
    some.push_back(block(1));
    some.push_front(block(2));
    EXPECT_FALSE(some.empty());
    EXPECT_EQ(some.size(), 3U);
    EXPECT_EQ(some.front(), block(2));
    EXPECT_EQ(list_blocks(some), blocks({2, 3, 1}));
    EXPECT_TRUE(some.empty());
    EXPECT_EQ(some.size(), 0U);
}

TEST_F(block_chain, adopts_a_list) {
    mallard::block_chain list = chain({3, 1, 2});
    mallard::block_chain taken(list.front(), list.back(), list.size());
    EXPECT_EQ(taken.back(), block(2));
    taken.push_back(block(0));
    EXPECT_EQ(taken.back(), block(0));
    EXPECT_EQ(taken.size(), 4U);
    EXPECT_EQ(list_blocks(taken), blocks({3, 1, 2, 0}));
}

TEST_F(block_chain, move_leaves_source_empty) {
    mallard::block_chain from = chain({0, 1});
    mallard::block_chain to(std::move(from));
    EXPECT_TRUE(from.empty()); // NOLINT(bugprone-use-after-move): what it is then is promised
    EXPECT_EQ(from.size(), 0U);
    EXPECT_EQ(to.size(), 2U);
    from.push_back(block(2));
    from = std::move(to);
    EXPECT_TRUE(to.empty()); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(list_blocks(from), blocks({0, 1}));
}

TEST_F(block_chain, splices_at_end) {
    mallard::block_chain some;
    some.splice_back(mallard::block_chain());
    EXPECT_TRUE(some.empty());
    some.splice_back(chain({0, 1}));
    some.splice_back(mallard::block_chain());
    mallard::block_chain more = chain({2, 3});
    some.splice_back(std::move(more));
    EXPECT_TRUE(more.empty()); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(more.size(), 0U);
    some.push_back(block(4));
    EXPECT_EQ(some.size(), 5U);
    EXPECT_EQ(list_blocks(some), blocks({0, 1, 2, 3, 4}));
}

TEST_F(block_chain, visits_every_block_in_order) {
    const auto expect_shown = [this](std::initializer_list<std::size_t> order) {
        std::vector<void*> shown;
        chain(order).for_each([&shown](void* p) {
            shown.push_back(p);
            std::memset(p, 0xff, sizeof(void*)); // as a user does
        });
        EXPECT_EQ(shown, blocks(order));
    };
    expect_shown({});
    expect_shown({3});
    expect_shown({0, 1, 2, 3, 4});
    expect_shown({4, 3, 2, 1, 0});
    expect_shown({0, 2, 4, 3, 1});
}

} // namespace

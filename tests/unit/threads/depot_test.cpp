#include <mallard/core/sanitizer.hpp>
#include <mallard/threads/depot.hpp>
#include <mallard/threads/magazine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace {

constexpr std::size_t index_of_512 = mallard::threads::magazine_index(512, 8);
constexpr std::size_t blocks_a_batch = mallard::threads::batch_blocks(index_of_512);
constexpr std::size_t most = mallard::threads::depot::most_batches;

/// Batches of blocks of 512 bytes, poisoned as those of a magazine are.
class depot : public ::testing::Test {
protected:
    ~depot() override { mallard::core::unpoison(memory_.data(), sizeof memory_); }

    mallard::threads::block_stack batch(std::size_t number) {
        mallard::threads::block_stack made;
        for (std::size_t i = blocks_a_batch; i != 0; --i) {
            made.push(block(number, i - 1));
        }
        mallard::core::poison(block(number, 0), blocks_a_batch * sizeof(memory_[0]));
        return made;
    }

    void* block(std::size_t batch, std::size_t i) { return memory_.at(batch * blocks_a_batch + i).data(); }

    void expect_batch(mallard::threads::block_stack taken, std::size_t number) {
        EXPECT_TRUE(taken.has_just(blocks_a_batch));
        for (std::size_t i = 0; i != blocks_a_batch; ++i) {
            EXPECT_EQ(taken.pop(), block(number, i));
        }
    }

    mallard::threads::depot depot_;

private:
    std::array<std::array<std::byte, 512>, (most + 1) * blocks_a_batch> memory_{};
};

TEST_F(depot, is_empty_when_it_is_made) {
    for (std::size_t index = 0; index != mallard::threads::magazine_count; ++index) {
        EXPECT_TRUE(depot_.take(index).empty()) << index;
    }
}

TEST_F(depot, gives_whole_batches_the_last_one_first) {
    EXPECT_TRUE(depot_.put(batch(0), index_of_512));
    EXPECT_TRUE(depot_.put(batch(1), index_of_512));
    expect_batch(depot_.take(index_of_512), 1);
    EXPECT_TRUE(depot_.put(batch(2), index_of_512));
    expect_batch(depot_.take(index_of_512), 2);
    expect_batch(depot_.take(index_of_512), 0);
    EXPECT_TRUE(depot_.take(index_of_512).empty());
}

TEST_F(depot, keeps_shapes_apart) {
    EXPECT_TRUE(depot_.put(batch(0), index_of_512));
    EXPECT_TRUE(depot_.take(index_of_512 - 1).empty());
    EXPECT_TRUE(depot_.take(index_of_512 + 1).empty());
    expect_batch(depot_.take(index_of_512), 0);
}

TEST_F(depot, holds_as_many_as_it_says) {
    for (std::size_t i = 0; i != most; ++i) {
        EXPECT_TRUE(depot_.put(batch(i), index_of_512));
    }
    EXPECT_FALSE(depot_.put(batch(most), index_of_512));
    expect_batch(depot_.take(index_of_512), most - 1);
    EXPECT_TRUE(depot_.put(batch(most), index_of_512));
    expect_batch(depot_.take(index_of_512), most);
}

TEST_F(depot, has_room_again_for_what_was_taken) {
    for (std::size_t i = 0; i != 3 * most; ++i) {
        EXPECT_TRUE(depot_.put(batch(0), index_of_512)) << i;
        expect_batch(depot_.take(index_of_512), 0);
    }
}

TEST_F(depot, has_no_place_for_blocks_of_one_word) {
    std::array<std::byte, 8> word{};
    mallard::threads::block_stack one;
    one.push(word.data());
    EXPECT_FALSE(depot_.put(one, mallard::threads::magazine_index(8, 8)));
}

TEST_F(depot, forgets_all) {
    EXPECT_TRUE(depot_.put(batch(0), index_of_512));
    depot_.clear();
    EXPECT_TRUE(depot_.take(index_of_512).empty());
    for (std::size_t i = 0; i != most; ++i) {
        EXPECT_TRUE(depot_.put(batch(i), index_of_512));
    }
}

} // namespace

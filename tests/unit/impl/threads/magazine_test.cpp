#include <mallard/impl/threads/magazine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t index_of_24 = mallard::threads::magazine_index(24, 8);
constexpr std::size_t capacity_of_24 = mallard::threads::magazine_capacity(index_of_24);

std::size_t count_blocks(mallard::threads::block_stack blocks) {
    std::size_t n = 0;
    while (blocks.pop() != nullptr) {
        ++n;
    }
    return n;
}

/// Blocks of 24 bytes. Poisoned while they are in a magazine, so usable again before they go.
class magazine : public ::testing::Test {
protected:
    ~magazine() override { mallard::core::unpoison(memory_.data(), sizeof(memory_)); }

    void* block(std::size_t i) { return memory_.at(i).data(); }

    mallard::threads::magazine magazine_;

private:
    std::array<std::array<std::byte, 24>, 4 * capacity_of_24> memory_{};
};

TEST_F(magazine, starts_empty_without_room) {
    EXPECT_EQ(magazine_.pop(), nullptr);
    EXPECT_FALSE(magazine_.push(block(0), index_of_24));
    EXPECT_EQ(magazine_.pop(), nullptr);
    EXPECT_TRUE(magazine_.make_room(index_of_24).empty());
    EXPECT_TRUE(magazine_.push(block(0), index_of_24));
}

TEST_F(magazine, gives_the_last_freed_block_first) {
    static_cast<void>(magazine_.make_room(index_of_24));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(magazine_.push(block(i), index_of_24));
    }
    EXPECT_EQ(magazine_.pop(), block(2));
    EXPECT_EQ(magazine_.pop(), block(1));
    EXPECT_EQ(magazine_.pop(), block(0));
    EXPECT_EQ(magazine_.pop(), nullptr);
}

TEST_F(magazine, overflow_keeps_most_recent_half) {
    static_cast<void>(magazine_.make_room(index_of_24));
    std::size_t held = 0;
    while (magazine_.push(block(held), index_of_24)) {
        ++held;
        ASSERT_LE(held, capacity_of_24);
    }
    EXPECT_EQ(held, capacity_of_24);
    mallard::threads::block_stack excess = magazine_.make_room(index_of_24);
    EXPECT_EQ(count_blocks(excess), capacity_of_24 / 2);
    EXPECT_EQ(excess.pop(), block(capacity_of_24 / 2 - 1));
    EXPECT_EQ(magazine_.pop(), block(capacity_of_24 - 1));
}

/// Blocks taken out in between must not lead to more than the capacity, nor need a look at each of them.
TEST_F(magazine, never_exceeds_capacity) {
    std::size_t in_use = 0;
    std::size_t looks = 0;
    std::vector<void*> outside;
    for (std::size_t i = 0; i < 4 * capacity_of_24; ++i) {
        outside.push_back(block(i));
    }
    for (std::size_t step = 0; step < 20000; ++step) {
        const bool freeing = (step / 97 + step * step) % 3 != 0;
        if (!freeing) {
            if (void* const p = magazine_.pop()) {
                outside.push_back(p);
                --in_use;
            }
        } else if (!outside.empty()) {
            if (!magazine_.push(outside.back(), index_of_24)) {
                ++looks;
                mallard::threads::block_stack excess = magazine_.make_room(index_of_24);
                while (void* const p = excess.pop()) {
                    outside.insert(outside.begin(), p);
                    --in_use;
                }
                ASSERT_TRUE(magazine_.push(outside.back(), index_of_24));
            }
            outside.pop_back();
            ++in_use;
        }
        ASSERT_LE(in_use, capacity_of_24) << "step " << step;
    }
    EXPECT_LE(looks, 20000 / (capacity_of_24 / 2) + 1) << "few of the operations look";
}

TEST_F(magazine, keeps_order_of_batch) {
    const std::array<void*, 3> blocks{block(5), block(3), block(9)};
    magazine_.fill(blocks.data(), blocks.size(), index_of_24);
    for (void* const p : blocks) {
        EXPECT_EQ(magazine_.pop(), p);
    }
    std::size_t held = 0;
    while (magazine_.push(block(held), index_of_24)) {
        ++held;
    }
    EXPECT_LE(held, capacity_of_24);
}

TEST_F(magazine, takes_complete_batch) {
    constexpr std::size_t half = mallard::threads::batch_blocks(index_of_24);
    mallard::threads::block_stack batch;
    for (std::size_t i = 0; i < half; ++i) {
        batch.push(block(i));
    }
    EXPECT_TRUE(batch.has_just(half));
    EXPECT_FALSE(batch.has_just(half - 1));
    EXPECT_FALSE(batch.has_just(half + 1));
    magazine_.fill(batch, index_of_24);
    EXPECT_EQ(magazine_.pop(), block(half - 1));
    EXPECT_EQ(magazine_.next_batch(index_of_24), half);
    std::size_t held = half - 1;
    while (magazine_.push(block(held + 1), index_of_24)) {
        ++held;
    }
    EXPECT_EQ(held, capacity_of_24 - 1) << "taking out makes no room";
}

TEST_F(magazine, batch_size_grows_to_half_capacity) {
    std::array<void*, capacity_of_24> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks.at(i) = block(i);
    }
    std::vector<std::size_t> batches;
    for (int i = 0; i < 10; ++i) {
        batches.push_back(magazine_.next_batch(index_of_24));
        magazine_.fill(blocks.data(), batches.back(), index_of_24);
        while (magazine_.pop() != nullptr) {
        }
    }
    EXPECT_EQ(batches, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 32, 32, 32, 32}));
    static_cast<void>(magazine_.next_batch(index_of_24));
    EXPECT_EQ(magazine_.next_batch(index_of_24), 1U) << "the one before could not be had";
}

TEST_F(magazine, emptying_resets) {
    static_cast<void>(magazine_.make_room(index_of_24));
    static_cast<void>(magazine_.next_batch(index_of_24));
    static_cast<void>(magazine_.push(block(0), index_of_24));
    static_cast<void>(magazine_.push(block(1), index_of_24));
    EXPECT_EQ(count_blocks(magazine_.empty_out()), 2U);
    EXPECT_EQ(magazine_.pop(), nullptr);
    EXPECT_FALSE(magazine_.push(block(0), index_of_24));
    EXPECT_EQ(magazine_.next_batch(index_of_24), 1U);
}

TEST(magazine_capacity, is_bounded_in_blocks_and_in_bytes) {
    for (std::size_t index = 0; index < mallard::threads::magazine_count; ++index) {
        const std::size_t capacity = mallard::threads::magazine_capacity(index);
        const std::size_t bytes = mallard::threads::magazine_shape(index).bytes;
        EXPECT_GE(capacity, 2U);
        EXPECT_LE(capacity, 64U);
        EXPECT_LE(capacity * bytes, std::max<std::size_t>(32768, 2 * bytes));
    }
}

TEST(magazine_index, shape_fits_request_tightly) {
    for (std::size_t alignment = 1; alignment <= 256; alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= 10000; ++bytes) {
            const std::size_t index = mallard::threads::magazine_index(bytes, alignment);
            ASSERT_LE(index, mallard::threads::magazine_count);
            const bool served = bytes <= (alignment <= 16 ? 8192U : 512U) && alignment <= 64;
            ASSERT_EQ(index != mallard::threads::magazine_count, served) << bytes << " at " << alignment;
            if (served) {
                const mallard::threads::block_shape shape = mallard::threads::magazine_shape(index);
                ASSERT_GE(shape.bytes, std::max<std::size_t>(bytes, 1));
                ASSERT_GE(shape.alignment, alignment);
                ASSERT_LE(shape.bytes, bytes + std::max(bytes / 8, std::max<std::size_t>(alignment, 8)) + 32);
                ASSERT_EQ(mallard::threads::magazine_index(shape.bytes, shape.alignment), index);
            }
        }
    }
    EXPECT_EQ(mallard::threads::magazine_index(SIZE_MAX, 8), mallard::threads::magazine_count);
    EXPECT_EQ(mallard::threads::magazine_index(SIZE_MAX, 64), mallard::threads::magazine_count);
}

} // namespace

#include <mallard/threads/magazine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

constexpr std::size_t index_of_24 = mallard::threads::magazine_index(24, 8);
constexpr std::size_t capacity_of_24 = mallard::threads::magazine_capacity(index_of_24);
constexpr std::size_t half_of_24 = mallard::threads::batch_blocks(index_of_24);

/// Blocks of 24 bytes. Poisoned while they are in a magazine, so usable again before they go.
class magazine : public ::testing::Test {
protected:
    ~magazine() override { mallard::core::unpoison(memory_.data(), sizeof(memory_)); }

    void* block(std::size_t i) { return memory_.at(i).data(); }

    void* pop_any() {
        void* const p = magazine_.pop(index_of_24);
        return p != nullptr ? p : magazine_.pop_previous(index_of_24);
    }

    /// Returns: the number of blocks that were put in before a batch had to go.
    std::size_t push_until_full(std::size_t from) {
        for (std::size_t held = 0;; ++held) {
            if (!magazine_.push(block(from + held), index_of_24)) {
                page_ = magazine_.make_room(index_of_24);
                if (page_ != nullptr) {
                    return held;
                }
                EXPECT_TRUE(magazine_.push(block(from + held), index_of_24));
            }
        }
    }

    mallard::threads::magazine magazine_;
    mallard::core::free_block* page_ = nullptr; ///< of the batch that had to go

private:
    std::array<std::array<std::byte, 24>, 4 * capacity_of_24> memory_{};
};

TEST_F(magazine, is_empty_and_without_room_when_it_is_made) {
    EXPECT_EQ(magazine_.pop(index_of_24), nullptr);
    EXPECT_FALSE(magazine_.push(block(0), index_of_24));
    EXPECT_EQ(magazine_.pop(index_of_24), nullptr);
    EXPECT_EQ(magazine_.pop_previous(index_of_24), nullptr);
    EXPECT_EQ(magazine_.make_room(index_of_24), nullptr);
    EXPECT_TRUE(magazine_.push(block(0), index_of_24));
}

TEST_F(magazine, gives_the_last_freed_block_first) {
    static_cast<void>(magazine_.make_room(index_of_24));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(magazine_.push(block(i), index_of_24));
    }
    EXPECT_EQ(magazine_.pop(index_of_24), block(2));
    EXPECT_EQ(magazine_.pop(index_of_24), block(1));
    EXPECT_EQ(magazine_.pop(index_of_24), block(0));
    EXPECT_EQ(magazine_.pop(index_of_24), nullptr);
}

TEST_F(magazine, holds_its_capacity_and_keeps_the_half_freed_last) {
    EXPECT_EQ(push_until_full(0), capacity_of_24);
    mallard::threads::block_stack rest(page_, index_of_24);
    EXPECT_EQ(rest.length(index_of_24), half_of_24);
    for (std::size_t i = half_of_24; i != 0; --i) {
        EXPECT_EQ(rest.pop(index_of_24), block(i - 1));
    }
    EXPECT_EQ(rest.pop(index_of_24), nullptr);
    for (std::size_t i = capacity_of_24; i != half_of_24; --i) {
        EXPECT_EQ(pop_any(), block(i - 1));
    }
    EXPECT_EQ(pop_any(), nullptr);
}

/// What is taken out in between must not lead to more than the capacity, nor need a look at each of them.
TEST_F(magazine, is_bounded_however_it_is_used) {
    std::size_t in_use = 0;
    std::size_t looks = 0;
    std::vector<void*> outside;
    for (std::size_t i = 0; i < 4 * capacity_of_24; ++i) {
        outside.push_back(block(i));
    }
    for (std::size_t step = 0; step < 20000; ++step) {
        const bool freeing = (step / 97 + step * step) % 3 != 0;
        if (!freeing) {
            if (void* const p = pop_any()) {
                outside.push_back(p);
                --in_use;
            }
        } else if (!outside.empty()) {
            if (!magazine_.push(outside.back(), index_of_24)) {
                ++looks;
                if (mallard::core::free_block* const page = magazine_.make_room(index_of_24)) {
                    mallard::threads::block_stack rest(page, index_of_24);
                    while (void* const p = rest.pop(index_of_24)) {
                        outside.insert(outside.begin(), p);
                        --in_use;
                    }
                }
                ASSERT_TRUE(magazine_.push(outside.back(), index_of_24));
            }
            outside.pop_back();
            ++in_use;
        }
        ASSERT_LE(in_use, capacity_of_24) << "step " << step;
    }
    EXPECT_LE(looks, 20000 / (half_of_24 / 4)) << "few of the operations look";
}

TEST_F(magazine, gives_a_batch_out_in_its_order) {
    const std::array<void*, 3> blocks{block(5), block(3), block(9)};
    magazine_.fill(blocks.data(), blocks.size(), index_of_24);
    for (void* const p : blocks) {
        EXPECT_EQ(magazine_.pop(index_of_24), p);
    }
    EXPECT_EQ(push_until_full(0), capacity_of_24);
}

TEST_F(magazine, takes_a_whole_batch_as_it_is) {
    mallard::threads::block_stack batch;
    for (std::size_t i = 0; i < half_of_24; ++i) {
        batch.push(block(i), index_of_24);
        EXPECT_EQ(batch.length(index_of_24), i + 1);
    }
    magazine_.fill(batch.page(), index_of_24);
    EXPECT_EQ(magazine_.next_batch(index_of_24), half_of_24);
    for (std::size_t i = half_of_24; i != 0; --i) {
        EXPECT_EQ(magazine_.pop(index_of_24), block(i - 1));
    }
    EXPECT_EQ(pop_any(), nullptr);
}

TEST_F(magazine, asks_for_more_each_time_up_to_half_of_its_capacity) {
    std::array<void*, capacity_of_24> blocks{};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks.at(i) = block(i);
    }
    std::vector<std::size_t> batches;
    for (int i = 0; i < 10; ++i) {
        batches.push_back(magazine_.next_batch(index_of_24));
        magazine_.fill(blocks.data(), batches.back(), index_of_24);
        while (magazine_.pop(index_of_24) != nullptr) {
        }
    }
    EXPECT_EQ(batches, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 32, 32, 32, 32}));
    static_cast<void>(magazine_.next_batch(index_of_24));
    EXPECT_EQ(magazine_.next_batch(index_of_24), 1U) << "the one before could not be had";
}

TEST_F(magazine, is_as_new_when_it_was_emptied_out) {
    static_cast<void>(magazine_.make_room(index_of_24));
    static_cast<void>(magazine_.next_batch(index_of_24));
    static_cast<void>(magazine_.push(block(0), index_of_24));
    static_cast<void>(magazine_.push(block(1), index_of_24));
    std::vector<void*> out;
    magazine_.empty_out(index_of_24, [&out](void* p) { out.push_back(p); });
    EXPECT_EQ(out, (std::vector<void*>{block(1), block(0)}));
    EXPECT_EQ(magazine_.pop(index_of_24), nullptr);
    EXPECT_FALSE(magazine_.push(block(0), index_of_24));
    EXPECT_EQ(magazine_.next_batch(index_of_24), 1U);
}

/// Of every shape: a page of one word, of as many addresses as there are words, and of a whole batch.
TEST(block_stack, gives_the_last_freed_first_and_knows_a_whole_batch) {
    for (std::size_t index = 0; index != mallard::threads::magazine_count; ++index) {
        const std::size_t bytes = mallard::threads::magazine_shape(index).bytes;
        const std::size_t count = mallard::threads::batch_blocks(index);
        std::vector<std::byte> memory(bytes * count + 64);
        std::byte* const first = memory.data() + mallard::core::padding_to(memory.data(), 64);
        mallard::threads::block_stack made;
        for (std::size_t i = 0; i != count; ++i) {
            made.push(first + i * bytes, index);
        }
        ASSERT_EQ(made.length(index), count) << index;
        mallard::threads::block_stack taken(made.page(), index);
        for (std::size_t i = count; i != 0; --i) {
            ASSERT_EQ(taken.length(index), i) << index;
            ASSERT_EQ(taken.pop(index), first + (i - 1) * bytes) << index;
        }
        ASSERT_EQ(taken.pop(index), nullptr) << index;
        ASSERT_EQ(taken.page(), nullptr) << index;
    }
}

TEST(block_stack, mixes_pushes_and_pops) {
    constexpr std::size_t index = mallard::threads::magazine_index(40, 8);
    std::array<std::array<std::byte, 40>, 64> memory{};
    mallard::threads::block_stack blocks;
    std::vector<void*> expected;
    std::size_t next = 0;
    for (std::size_t step = 0; step != 500; ++step) {
        if ((step * step / 7 + step) % 3 != 0 && expected.size() != memory.size()) {
            while (std::ranges::find(expected, static_cast<void*>(memory.at(next).data())) !=
                   expected.end()) {
                next = (next + 1) % memory.size();
            }
            expected.push_back(memory.at(next).data());
            blocks.push(expected.back(), index);
            next = (next + 5) % memory.size();
        } else if (!expected.empty()) {
            ASSERT_EQ(blocks.pop(index), expected.back()) << step;
            expected.pop_back();
        }
        ASSERT_EQ(blocks.length(index), expected.size()) << step;
    }
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

TEST(magazine_index, names_a_shape_that_holds_the_request_and_little_more) {
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

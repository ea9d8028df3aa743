#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
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

constexpr std::size_t batch_of_24 = mallard::threads::batch_blocks(index_of_24);

/// Blocks of 24 bytes. Poisoned while they are in a magazine, so usable again before they go.
class magazine : public ::testing::Test {
protected:
    ~magazine() override { mallard::core::unpoison(memory_.data(), sizeof(memory_)); }

    void* block(std::size_t i) { return memory_.at(i).data(); }

    /// Returns: a block that leads to the `count - 1` next ones, all poisoned.
    mallard::core::free_block* chain(std::size_t first, std::size_t count) {
        using links = mallard::core::links<true>;
        mallard::core::free_block* chain = nullptr;
        for (std::size_t i = first + count; i != first; --i) {
            auto* const front = static_cast<mallard::core::free_block*>(block(i - 1));
            mallard::core::poison(front, 24);
            links::write(front, chain);
            chain = front;
        }
        return chain;
    }

    /// Returns: the block that pop() gives; the magazine's next batch is loaded if necessary.
    void* pop_any() {
        void* const p = magazine_.pop();
        return p == nullptr && magazine_.load() ? magazine_.pop() : p;
    }

    /// Effects: pushes a block, after make_room() if necessary.
    /// Returns: the batch that had to leave.
    mallard::core::free_block* push_any(void* p) {
        mallard::core::free_block* excess = nullptr;
        if (!magazine_.push(p, index_of_24)) {
            excess = magazine_.make_room(index_of_24);
            EXPECT_TRUE(magazine_.push(p, index_of_24));
        }
        return excess;
    }

    /// Returns: the number of blocks until one had to leave.
    std::size_t push_until_excess(std::size_t first) {
        std::size_t held = 0;
        while (push_any(block(first + held)) == nullptr) {
            ++held;
        }
        return held;
    }

    /// Returns: the blocks that it had.
    std::size_t empty_out() {
        std::size_t count = 0;
        magazine_.empty_out([&](mallard::core::free_block*) { count += batch_of_24; },
                            [&](void*) { ++count; });
        return count;
    }

    mallard::threads::magazine magazine_;
    std::uint32_t growth_bytes_ = mallard::threads::most_growth_bytes;

private:
    alignas(8) std::array<std::array<std::byte, 24>, 6 * capacity_of_24> memory_{};
};

TEST_F(magazine, overflow_gives_the_oldest_batch_away) {
    for (std::size_t i = 0; i != capacity_of_24; ++i) {
        EXPECT_EQ(push_any(block(i)), nullptr);
    }
    mallard::core::free_block* const excess = push_any(block(capacity_of_24));
    ASSERT_NE(excess, nullptr);
    std::vector<void*> blocks;
    mallard::threads::magazine::expect_length(excess, batch_of_24);
    mallard::threads::magazine::for_each(excess, batch_of_24, [&](void* p) { blocks.push_back(p); });
    for (std::size_t i = 0; i != batch_of_24; ++i) {
        EXPECT_EQ(blocks[i], block(batch_of_24 - 1 - i));
    }
    for (std::size_t i = capacity_of_24 + 1; i != batch_of_24; --i) {
        EXPECT_EQ(pop_any(), block(i - 1));
    }
    EXPECT_EQ(pop_any(), nullptr);
}

/// Blocks taken out in between must not lead to more than the capacity, nor need slow calls.
TEST_F(magazine, never_exceeds_capacity) {
    std::size_t in_use = 0;
    std::size_t slow_calls = 0;
    std::vector<void*> outside;
    for (std::size_t i = 0; i < 4 * capacity_of_24; ++i) {
        outside.push_back(block(i));
    }
    for (std::size_t step = 0; step < 20000; ++step) {
        const bool freeing = (step / 97 + step * step) % 3 != 0;
        if (!freeing) {
            void* p = magazine_.pop();
            if (p == nullptr) {
                slow_calls += magazine_.load();
                p = magazine_.pop();
            }
            if (p != nullptr) {
                outside.push_back(p);
                --in_use;
            }
        } else if (!outside.empty()) {
            if (!magazine_.push(outside.back(), index_of_24)) {
                ++slow_calls;
                if (auto* const excess = magazine_.make_room(index_of_24)) {
                    mallard::threads::magazine::for_each(excess, batch_of_24, [&](void* p) {
                        outside.insert(outside.begin(), p);
                        --in_use;
                    });
                }
                ASSERT_TRUE(magazine_.push(outside.back(), index_of_24));
            }
            outside.pop_back();
            ++in_use;
        }
        ASSERT_LE(in_use, capacity_of_24) << "step " << step;
    }
    EXPECT_LE(slow_calls, 20000 / (batch_of_24 / 2)) << "few of the operations are slow";
    EXPECT_EQ(empty_out(), in_use);
}

/// After an overflow, and after a fetch, a batch of calls follows before the next of either.
TEST_F(magazine, leaves_a_batch_of_room_on_both_sides) {
    EXPECT_EQ(push_until_excess(0), capacity_of_24);
    for (int round = 0; round != 3; ++round) {
        for (std::size_t i = 0; i != batch_of_24 + 1; ++i) {
            EXPECT_NE(pop_any(), nullptr);
        }
        for (std::size_t i = 0; i != batch_of_24; ++i) {
            EXPECT_EQ(push_any(block(i)), nullptr);
        }
        EXPECT_EQ(empty_out(), capacity_of_24 / 2);
        EXPECT_EQ(push_until_excess(0), capacity_of_24);
    }
}

TEST_F(magazine, keeps_order_of_blocks) {
    magazine_.fill(chain(3, 5), 5, index_of_24);
    for (std::size_t i = 3; i != 8; ++i) {
        EXPECT_EQ(magazine_.pop(), block(i));
    }
    EXPECT_EQ(magazine_.pop(), nullptr);
    EXPECT_EQ(push_until_excess(0), capacity_of_24);
}

/// A thread that gives batches away and fetches as many later keeps them from then on.
TEST_F(magazine, grows_by_the_batches_that_come_back) {
    constexpr std::size_t batch_bytes = batch_of_24 * 24;
    growth_bytes_ = 2 * batch_bytes;
    EXPECT_EQ(push_until_excess(0), capacity_of_24);
    EXPECT_EQ(empty_out(), batch_of_24 + 1);
    EXPECT_EQ(push_until_excess(0), capacity_of_24) << "emptied, it is as it was made";
    std::size_t most = capacity_of_24;
    for (const std::size_t grown : {1U, 2U, 2U}) {
        while (pop_any() != nullptr) {
        }
        magazine_.fill(chain(0, batch_of_24), index_of_24, growth_bytes_);
        most = push_until_excess(batch_of_24) + batch_of_24;
        EXPECT_EQ(most, capacity_of_24 + grown * batch_of_24);
        EXPECT_EQ(growth_bytes_, (2 - grown) * batch_bytes);
    }
}

TEST_F(magazine, does_not_grow_of_fetches_alone) {
    for (int i = 0; i != 5; ++i) {
        magazine_.fill(chain(0, batch_of_24), index_of_24, growth_bytes_);
        while (magazine_.pop() != nullptr) {
        }
    }
    EXPECT_EQ(growth_bytes_, mallard::threads::most_growth_bytes);
    EXPECT_EQ(push_until_excess(0), capacity_of_24);
}

TEST_F(magazine, fetches_double_up_to_a_batch) {
    std::vector<std::size_t> fetches;
    for (int i = 0; i < 10; ++i) {
        fetches.push_back(magazine_.next_fetch(index_of_24));
        magazine_.fill(chain(0, fetches.back()), fetches.back(), index_of_24);
        while (magazine_.pop() != nullptr) {
        }
    }
    EXPECT_EQ(fetches, (std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64, 64, 64, 64}));
    static_cast<void>(magazine_.next_fetch(index_of_24));
    EXPECT_EQ(magazine_.next_fetch(index_of_24), 1U) << "the one before could not be had";
}

TEST_F(magazine, reports_a_block_freed_twice) {
    for (const std::size_t distance : {1U, 2U}) { // at once, and after another block
        EXPECT_DEATH(
            {
                for (std::size_t i = 0; i != batch_of_24 - 1; ++i) {
                    static_cast<void>(push_any(block(i)));
                }
                static_cast<void>(push_any(block(batch_of_24 - 1 - distance)));
                static_cast<void>(push_any(block(batch_of_24)));
            },
            "is damaged: a block was deallocated twice");
    }
}

TEST_F(magazine, batches_are_returned_in_lifo_order) {
    mallard::threads::batch_stack batches;
    EXPECT_TRUE(batches.empty());
    EXPECT_EQ(batches.pop(), nullptr);
    batches.push(chain(0, batch_of_24));
    batches.push(chain(batch_of_24, 1));
    EXPECT_EQ(batches.pop(), block(batch_of_24));
    batches.push(chain(batch_of_24 + 1, 1));
    EXPECT_EQ(batches.pop(), block(batch_of_24 + 1));
    EXPECT_FALSE(batches.empty());
    auto* const first = batches.pop();
    EXPECT_EQ(first, block(0));
    mallard::threads::magazine::expect_length(first, batch_of_24); // its links are as they were
    EXPECT_TRUE(batches.empty());
}

TEST(magazine_capacity, is_bounded_in_blocks_and_in_bytes) {
    for (std::size_t index = 0; index < mallard::threads::magazine_count; ++index) {
        const std::size_t capacity = mallard::threads::magazine_capacity(index);
        const std::size_t bytes = mallard::threads::magazine_shape(index).bytes;
        EXPECT_GE(capacity, 2U);
        EXPECT_LE(capacity, 128U);
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
                ASSERT_GE(shape.bytes, std::max<std::size_t>(bytes, 2 * sizeof(void*)));
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

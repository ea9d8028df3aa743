#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/threads/depot.hpp>
#include <mallard/impl/threads/magazine.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <thread>
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
        mallard::threads::block_stack blocks;
        for (std::size_t i = blocks_a_batch; i != 0; --i) {
            blocks.push(block(number, i - 1));
        }
        mallard::core::poison(block(number, 0), blocks_a_batch * sizeof(memory_[0]));
        return blocks;
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

TEST_F(depot, starts_empty) {
    for (std::size_t index = 0; index != mallard::threads::magazine_count; ++index) {
        EXPECT_TRUE(depot_.take(index).empty()) << index;
    }
}

TEST_F(depot, returns_batches_in_lifo_order) {
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

TEST_F(depot, respects_capacity) {
    for (std::size_t i = 0; i != most; ++i) {
        EXPECT_TRUE(depot_.put(batch(i), index_of_512));
    }
    EXPECT_FALSE(depot_.put(batch(most), index_of_512));
    expect_batch(depot_.take(index_of_512), most - 1);
    EXPECT_TRUE(depot_.put(batch(most), index_of_512));
    expect_batch(depot_.take(index_of_512), most);
}

TEST_F(depot, taking_frees_capacity) {
    for (std::size_t i = 0; i != 3 * most; ++i) {
        EXPECT_TRUE(depot_.put(batch(0), index_of_512)) << i;
        expect_batch(depot_.take(index_of_512), 0);
    }
}

/// Each thread puts back the batches that it took, in turn with its own. In the end each batch is there once.
TEST(depot_of_many_threads, loses_no_batch_and_hands_none_out_twice) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t rounds = 20'000;
    mallard::threads::depot shared;
    std::array<mallard::threads::block_stack, 2 * threads> mine;
    std::array<std::array<void*, 1>, 2 * threads> words{};
    for (std::size_t i = 0; i != mine.size(); ++i) {
        mine.at(i).push(&words.at(i));
    }
    std::vector<std::thread> team;
    for (std::size_t t = 0; t != threads; ++t) {
        team.emplace_back([&shared, &a = mine.at(2 * t), &b = mine.at(2 * t + 1)] {
            for (std::size_t i = 0; i != rounds; ++i) {
                mallard::threads::block_stack& one = i % 2 == 0 ? a : b;
                if (one.empty()) {
                    one = shared.take(index_of_512);
                } else if (shared.put(one, index_of_512)) {
                    one = {};
                }
            }
        });
    }
    for (std::thread& thread : team) {
        thread.join();
    }
    std::set<void*> seen;
    const auto see = [&seen](mallard::threads::block_stack batch) {
        EXPECT_TRUE(batch.has_just(1)) << "no other thread has relinked the block";
        EXPECT_TRUE(seen.insert(batch.first()).second);
    };
    for (const auto& batch : mine) {
        if (!batch.empty()) {
            see(batch);
        }
    }
    for (auto batch = shared.take(index_of_512); !batch.empty(); batch = shared.take(index_of_512)) {
        see(batch);
    }
    EXPECT_EQ(seen.size(), mine.size());
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

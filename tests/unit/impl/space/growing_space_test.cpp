#include "equipment/room_of_blocks.hpp"

#include <mallard/core/block_chain.hpp>
#include <mallard/core/burst.hpp>
#include <mallard/impl/space/growing_space.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace {

using mallard::space::heap_block;
using sizes = std::vector<std::size_t>;

/// An unfinished_burst needs an allocator that takes blocks back; a burst of these tests never gives one back.
struct nobody {
    static void* allocate(std::size_t, std::size_t) { return nullptr; }
    static void deallocate(void*, std::size_t, std::size_t) noexcept { ADD_FAILURE(); }
};

template <class Space>
class growing_space : public ::testing::Test {
protected:
    static constexpr std::size_t all = Space::bytes;

    ~growing_space() override { EXPECT_EQ(space_.wrong(), ""); }

    std::vector<heap_block> row(std::size_t count, std::size_t bytes) {
        std::vector<heap_block> blocks;
        for (std::size_t i = 0; i < count; ++i) {
            blocks.push_back(space_.take(bytes));
        }
        return blocks;
    }

    /// Effects: takes all that is left.
    heap_block take_remainder() {
        const heap_block b = space_.take(space_.remainder_bytes());
        EXPECT_EQ(space_.remainder_begin(), nullptr);
        return b;
    }

    Space space_;
};

using kinds = ::testing::Types<equipment::room_of_blocks<mallard::space::absolute_links>,
                               equipment::room_of_blocks<mallard::space::relative_links>>;
TYPED_TEST_SUITE(growing_space, kinds);

TYPED_TEST(growing_space, grows_forward_into_the_remainder) {
    const auto b = this->row(2, 64);
    EXPECT_FALSE(this->space_.grow_forward(b[0], 128, 256)) << "the other one is in the way";
    EXPECT_EQ(b[0].bytes(), 64U);
    EXPECT_TRUE(this->space_.grow_forward(b[1], 128, 256));
    EXPECT_EQ(b[1].bytes(), 256U);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all - 320});
    EXPECT_FALSE(this->space_.grow_forward(b[1], this->all, this->all));
    EXPECT_TRUE(this->space_.grow_forward(b[1], 128, this->all)) << "as much as there is";
    EXPECT_EQ(b[1].bytes(), this->all - 64);
    EXPECT_EQ(this->space_.free_bytes(), sizes{});
    EXPECT_TRUE(this->space_.grow_forward(b[1], 128, this->all)) << "it has that";
    EXPECT_FALSE(this->space_.grow_forward(b[1], this->all, this->all));
}

TYPED_TEST(growing_space, grows_forward_into_a_free_block) {
    const auto b = this->row(4, 128);
    this->space_.give(b[1]);
    EXPECT_TRUE(this->space_.grow_forward(b[0], 144, 160));
    EXPECT_EQ(b[0].bytes(), 160U);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{96, this->all - 512}));
    EXPECT_EQ(this->space_.wrong(), "");
    EXPECT_TRUE(this->space_.grow_forward(b[0], 240, 240)) << "16 bytes would be no block";
    EXPECT_EQ(b[0].bytes(), 256U);
    EXPECT_FALSE(this->space_.grow_forward(b[0], 272, 272));
    this->space_.give(b[2]);
    EXPECT_TRUE(this->space_.grow_forward(b[0], 272, 4096));
    EXPECT_EQ(b[0].bytes(), 384U);
    this->space_.give(b[3]);
    this->space_.give(b[0]);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all});
}

TYPED_TEST(growing_space, grows_backward_and_forward_at_once) {
    const auto b = this->row(4, 512);
    this->space_.give(b[0]);
    this->space_.give(b[2]);
    EXPECT_FALSE(this->space_.grow_backward(b[1], 1500, 1500, 16, false));
    EXPECT_EQ(b[1].bytes(), 512U);
    const heap_block grown = this->space_.grow_backward(b[1], 1500, 1504, 16, true);
    EXPECT_EQ(grown.begin(), b[0].begin() + 32);
    EXPECT_EQ(grown.bytes(), 1504U);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{32, this->all - 2048}));
    EXPECT_FALSE(this->space_.grow_backward(grown, 1600, 1600, 16, true));
}

/// Returns: the distance by which a block of `had` bytes has to begin further down: as few steps as it needs, so that a
/// block, or nothing, is left in front of it.
std::size_t steps_down(std::size_t front, std::size_t had, std::size_t least, std::size_t most,
                       std::size_t step) {
    std::size_t down = 0;
    for (std::size_t move = step; move <= front; move += step) {
        if (move == front || front - move >= heap_block::least_bytes) {
            down = move;
        }
        if (had + move >= most) {
            break;
        }
    }
    return had + down < least ? 0 : down;
}

TYPED_TEST(growing_space, grows_backward_by_minimal_steps) {
    constexpr std::size_t granule = TypeParam::granule;
    for (std::size_t front = 32; front <= 128; front += granule) {
        for (const std::size_t step : {granule, std::size_t{32}, std::size_t{48}, std::size_t{112}}) {
            for (std::size_t most = 64; most <= 240; most += granule) {
                for (const std::size_t least : {std::size_t{64}, most}) {
                    const heap_block free_front = this->space_.take(front);
                    const heap_block b = this->space_.take(64);
                    this->space_.give(free_front);
                    const std::size_t down = steps_down(front, 64, least, most, step);
                    const heap_block grown = this->space_.grow_backward(b, least, most, step, false);
                    ASSERT_EQ(grown.begin(), down == 0 ? nullptr : b.begin() - down)
                        << front << " in front, from " << least << " to " << most << " by " << step;
                    ASSERT_EQ((down == 0 ? b : grown).bytes(), 64 + down);
                    ASSERT_EQ(this->space_.wrong(), "");
                    this->space_.give(down == 0 ? b : grown);
                    ASSERT_EQ(this->space_.free_bytes(), sizes{this->all});
                }
            }
        }
    }
}

TYPED_TEST(growing_space, grows_backward_into_the_remainder) {
    const auto b = this->row(2, 1024);
    const heap_block last = this->take_remainder();
    this->space_.give(b[0]);
    const heap_block cut = this->space_.take(64);
    ASSERT_EQ(cut, b[0]);
    ASSERT_EQ(this->space_.remainder_bytes(), 960U);
    const heap_block grown = this->space_.grow_backward(b[1], 1100, 1100, 16, true);
    EXPECT_EQ(grown.begin(), b[1].begin() - 80);
    EXPECT_EQ(this->space_.free_bytes(), sizes{880});
    EXPECT_EQ(this->space_.wrong(), "");
    EXPECT_EQ(this->space_.grow_backward(grown, 1900, 4096, 16, true), cut.behind(64));
    EXPECT_EQ(this->space_.free_bytes(), sizes{});
    this->space_.give(last);
}

TYPED_TEST(growing_space, leaves_no_crumb_behind_a_burst) {
    const heap_block free_front = this->space_.take(this->all - 208);
    ASSERT_TRUE(free_front);
    nobody from;
    mallard::core::unfinished_burst burst(from, 56, 16);
    while (this->space_.carve_many(burst, 64, 100, [](void*) {})) {
    }
    EXPECT_EQ(burst.size(), 3U);
    EXPECT_EQ(this->space_.free_bytes(), sizes{}) << "16 bytes would be no block: the last one has them";
    EXPECT_EQ(heap_block::holding(burst.finish().back()).bytes(), 80U);
}

TYPED_TEST(growing_space, makes_a_free_block_the_remainder) {
    const auto b = this->row(5, 512);
    this->take_remainder();
    EXPECT_FALSE(this->space_.refill_remainder(32, 512));
    this->space_.give(b[1]);
    this->space_.give(b[3]);
    EXPECT_FALSE(this->space_.refill_remainder(528, 4096));
    EXPECT_TRUE(this->space_.refill_remainder(64, 4096)) << "the largest there is";
    EXPECT_EQ(this->space_.remainder_bytes(), 512U);
    EXPECT_EQ(this->space_.wrong(), "");
    EXPECT_TRUE(this->space_.refill_remainder(64, 512)) << "the other one is a free block again";
    EXPECT_EQ(this->space_.free_bytes(), (sizes{512, 512}));
}

/// Rows in either direction, single blocks, blocks from anywhere: the rest are free blocks without neighbours.
TYPED_TEST(growing_space, merges_frees_in_any_order) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<heap_block> blocks;
        while (const heap_block b = this->space_.take_for(8 + random() % 500)) {
            blocks.push_back(b);
        }
        const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
        round % 2 == 0 ? std::shuffle(blocks.begin(), middle, random) : std::reverse(blocks.begin(), middle);
        while (!blocks.empty()) {
            mallard::block_chain chain;
            for (std::size_t remaining = 1 + random() % 40; remaining != 0 && !blocks.empty(); --remaining) {
                chain.push_back(blocks.back().payload());
                blocks.pop_back();
            }
            this->space_.give_many(chain, [](heap_block, std::size_t) { return true; });
            ASSERT_EQ(this->space_.wrong(), "");
        }
        ASSERT_EQ(this->space_.free_bytes(), sizes{this->all});
    }
}

TYPED_TEST(growing_space, skips_foreign_blocks_of_a_chain) {
    const auto b = this->row(3, 64);
    mallard::block_chain chain;
    for (const heap_block block : b) {
        chain.push_back(block.payload());
    }
    this->space_.give_many(chain, [&](heap_block block, std::size_t word) {
        EXPECT_EQ(word, block.tag());
        return block != b[1];
    });
    EXPECT_EQ(this->space_.free_bytes(), (sizes{64, this->all - 128}));
}

} // namespace

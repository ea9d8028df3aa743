#include "equipment/room_of_blocks.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/impl/space/coalescing_space.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace {

using mallard::space::heap_block;
using sizes = std::vector<std::size_t>;

template <class Space>
class coalescing_space : public ::testing::Test {
protected:
    static constexpr std::size_t all = Space::bytes;

    ~coalescing_space() override { EXPECT_EQ(space_.wrong(), ""); }

    /// Returns: `count` blocks of `bytes` bytes side by side, words included.
    std::vector<heap_block> row(std::size_t count, std::size_t bytes) {
        std::vector<heap_block> blocks;
        for (std::size_t i = 0; i < count; ++i) {
            blocks.push_back(space_.take(bytes));
            EXPECT_TRUE(blocks.back());
            EXPECT_TRUE(i == 0 || blocks[i] == blocks[i - 1].behind(bytes));
        }
        return blocks;
    }

    Space space_;
};

using kinds = ::testing::Types<equipment::room_of_blocks<mallard::space::absolute_links>,
                               equipment::room_of_blocks<mallard::space::relative_links>>;
TYPED_TEST_SUITE(coalescing_space, kinds);

TYPED_TEST(coalescing_space, merges_with_free_neighbours) {
    const auto b = this->row(7, 64);
    this->space_.give(b[1]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{64, this->all - 448}));
    this->space_.give(b[3]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{64, 64, this->all - 448}));
    this->space_.give(b[2]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{192, this->all - 448}));
    EXPECT_EQ(this->space_.wrong(), "");
    this->space_.give(b[0]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{256, this->all - 448}));
    this->space_.give(b[6]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{256, this->all - 384}));
    this->space_.give(b[5]);
    this->space_.give(b[4]);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all});
}

TYPED_TEST(coalescing_space, splits_larger_block_when_remainder_is_short) {
    const auto b = this->row(3, 256);
    const heap_block tail = this->space_.take(this->all - 768);
    ASSERT_TRUE(tail);
    EXPECT_EQ(this->space_.remainder_begin(), nullptr);
    this->space_.give(b[1]);
    const heap_block cut = this->space_.take(64);
    EXPECT_EQ(cut, b[1]);
    EXPECT_EQ(this->space_.free_bytes(), sizes{192});
    EXPECT_EQ(this->space_.take(64), cut.behind(64));
    EXPECT_FALSE(this->space_.take(160));
    EXPECT_EQ(this->space_.wrong(), "");
    this->space_.give(b[0]);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{256, 128}));
    EXPECT_EQ(this->space_.wrong(), "");
}

TYPED_TEST(coalescing_space, leaves_no_unusable_fragment) {
    const heap_block b = this->space_.take(this->all - 16);
    ASSERT_TRUE(b);
    EXPECT_EQ(b.bytes(), this->all);
    EXPECT_FALSE(this->space_.take(32));
    this->space_.give(b);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all});
    EXPECT_FALSE(this->space_.take(this->all + 16));
}

/// A block may begin anywhere: in front of it lies nothing, or a whole block, and it takes the minimal padding.
TYPED_TEST(coalescing_space, places_aligned_block_first_fit) {
    constexpr std::size_t step = TypeParam::granule;
    for (const std::size_t alignment : {32U, 64U, 256U}) {
        for (std::size_t front_bytes = 32; front_bytes != 32 + 2 * alignment; front_bytes += step) {
            const heap_block front = this->space_.take(front_bytes);
            std::byte* const begin = this->space_.remainder_begin();
            const heap_block b = this->space_.take_aligned(128, alignment);
            ASSERT_TRUE(b);
            std::size_t padding = 0;
            while (!mallard::core::is_aligned(begin + padding + heap_block::tag_bytes, alignment) ||
                   (padding != 0 && padding < heap_block::least_bytes)) {
                padding += step;
            }
            ASSERT_EQ(b.begin(), begin + padding) << front_bytes << " at " << alignment;
            ASSERT_EQ(b.bytes(), 128U);
            ASSERT_EQ(this->space_.wrong(), "");
            this->space_.give(b);
            this->space_.give(front);
            ASSERT_EQ(this->space_.free_bytes(), sizes{this->all});
            // Over again from the front, so that the next block does not lie behind a free one.
            this->space_.clear();
            this->space_.add_room(this->space_.begin(), this->all + TypeParam::end_bytes);
        }
    }
}

TYPED_TEST(coalescing_space, shrink_frees_tail) {
    const auto b = this->row(3, 256);
    EXPECT_EQ(this->space_.shrink(b[0], 64), 64U);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{192, this->all - 768}));
    EXPECT_EQ(this->space_.shrink(b[0], 48), 48U) << "into what is free behind it";
    EXPECT_EQ(this->space_.free_bytes(), (sizes{208, this->all - 768}));
    EXPECT_EQ(this->space_.shrink(b[1], 240), 256U) << "that would be no block";
    EXPECT_EQ(this->space_.shrink(b[2], 240), 240U) << "into the remainder";
    EXPECT_EQ(this->space_.free_bytes(), (sizes{208, this->all - 768 + 16}));
    EXPECT_EQ(this->space_.shrink(b[2], 240), 240U);
}

TYPED_TEST(coalescing_space, lists_replaced_remainder) {
    const auto b = this->row(2, 256);
    this->space_.retire_remainder();
    EXPECT_EQ(this->space_.remainder_begin(), nullptr);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all - 512});
    EXPECT_EQ(this->space_.wrong(), "");
    this->space_.give(b[1]);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all - 256});
}

/// Returns: the bytes by which a room with that free end is made shorter: the rest is nothing, or a block of at least the
/// smallest size.
std::size_t most_to_cut(std::size_t available, std::size_t most) {
    std::size_t best = 0;
    for (std::size_t cut = 0; cut <= std::min(available, most); cut += 16) {
        if (cut == available || available - cut >= heap_block::least_bytes) {
            best = cut;
        }
    }
    return best;
}

TYPED_TEST(coalescing_space, cuts_room_to_minimum) {
    for (const bool listed : {false, true}) {
        for (std::size_t available = 0; available <= 128;
             available += available == 0 ? 32 : TypeParam::granule) {
            for (std::size_t most = 0; most <= 160; most += 8) {
                const heap_block first = this->space_.take(64);
                const heap_block last = this->space_.take(this->all - 64 - available);
                if (listed) {
                    this->space_.retire_remainder();
                }
                const std::size_t cut = this->space_.cut_by(most);
                ASSERT_EQ(cut, most_to_cut(available, most)) << available << " free, at most " << most;
                ASSERT_EQ(this->space_.wrong(), "") << available << " free, at most " << most;
                ASSERT_EQ(this->space_.free_bytes(), cut == available ? sizes{} : sizes{available - cut});
                if (cut != 0) {
                    this->space_.extend_by(cut);
                }
                ASSERT_EQ(this->space_.free_bytes(), available == 0 ? sizes{} : sizes{available});
                this->space_.give(first);
                this->space_.give(last);
                ASSERT_EQ(this->space_.free_bytes(), sizes{this->all});
            }
        }
    }
}

TYPED_TEST(coalescing_space, grown_room_merges_with_free_end) {
    ASSERT_EQ(this->space_.cut_by(4096), 4096U);
    const heap_block front = this->space_.take(this->all - 4096 - 64);
    const heap_block last = this->space_.take(64);
    this->space_.extend_by(1024);
    EXPECT_EQ(this->space_.free_bytes(), sizes{1024}) << "behind a block in use";
    EXPECT_EQ(this->space_.wrong(), "");
    this->space_.extend_by(1024);
    EXPECT_EQ(this->space_.free_bytes(), sizes{2048}) << "behind a free one";
    EXPECT_EQ(this->space_.wrong(), "");
    this->space_.retire_remainder();
    this->space_.extend_by(1024);
    EXPECT_EQ(this->space_.free_bytes(), sizes{3072}) << "behind one in a list";
    EXPECT_EQ(this->space_.wrong(), "");
    EXPECT_EQ(this->space_.cut_by(0), 0U);
    this->space_.extend_by(1024);
    EXPECT_EQ(this->space_.free_bytes(), sizes{4096}) << "behind the remainder";
    this->space_.give(last);
    this->space_.give(front);
    EXPECT_EQ(this->space_.free_bytes(), sizes{this->all});
}

/// After any operations the free end is given up, and no more.
TYPED_TEST(coalescing_space, room_changes_preserve_free_bytes) {
    std::mt19937_64 random(11);
    std::vector<heap_block> blocks;
    std::size_t room = this->all;
    for (int step = 0; step < 600; ++step) {
        const std::size_t many = random() % 4000;
        if (const std::size_t action = random() % 8; action == 0) {
            room -= this->space_.cut_by(many);
        } else if (action == 1) {
            const std::size_t more = std::min(mallard::core::align_down(many, 16), this->all - room);
            if (more >= heap_block::least_bytes) {
                this->space_.extend_by(more);
                room += more;
            }
        } else if (action < 5 || blocks.empty()) {
            if (const heap_block b = this->space_.take_for(many)) {
                blocks.push_back(b);
            }
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            this->space_.give(blocks.back());
            blocks.pop_back();
        }
        ASSERT_EQ(this->space_.wrong(), "") << "step " << step;
    }
    for (const heap_block b : blocks) {
        this->space_.give(b);
    }
    EXPECT_EQ(this->space_.free_bytes(), sizes{room});
}

} // namespace

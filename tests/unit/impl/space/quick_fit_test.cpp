#include "equipment/room_of_blocks.hpp"

#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/quick_fit.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using mallard::space::heap_block;
using sizes = std::vector<std::size_t>;

template <class Space>
class quick_fit : public ::testing::Test {
protected:
    static constexpr std::size_t all = Space::bytes;
    static constexpr std::size_t most_in_a_row =
        mallard::space::quick_lists<typename Space::links>::most_in_a_row;

    ~quick_fit() override { EXPECT_EQ(space_.wrong(), ""); }

    void give(heap_block b) { space_.give_quick(b, b.bytes()); }

    Space space_;
};

using spaces = ::testing::Types<equipment::room_of_blocks<mallard::space::absolute_links>,
                                equipment::room_of_blocks<mallard::space::relative_links>>;
TYPED_TEST_SUITE(quick_fit, spaces);

TYPED_TEST(quick_fit, merges_all_blocks_of_a_long_row) {
    std::vector<heap_block> blocks;
    for (std::size_t i = 0; i != 2 * this->most_in_a_row; ++i) {
        blocks.push_back(this->space_.take(32));
    }
    for (std::size_t i = 0; i != this->most_in_a_row; ++i) {
        this->give(blocks[i]);
    }
    EXPECT_EQ(this->space_.free_bytes(), (sizes{this->all - 32 * blocks.size()}));
    this->give(blocks[this->most_in_a_row]);
    EXPECT_EQ(this->space_.free_bytes(),
              (sizes{32 * (this->most_in_a_row + 1), this->all - 32 * blocks.size()}));
    EXPECT_TRUE(this->space_.quick().empty());
}

TYPED_TEST(quick_fit, room_change_settles) {
    const heap_block b = this->space_.take(64);
    this->give(b);
    EXPECT_EQ(this->space_.cut_by(1024), 1024U);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{this->all - 1024}));
    this->give(this->space_.take(64));
    this->space_.extend_by(512);
    EXPECT_EQ(this->space_.free_bytes(), (sizes{this->all - 512}));
    EXPECT_EQ(this->space_.quick().room_bytes(), this->all - 512 + TypeParam::end_bytes);
}

} // namespace

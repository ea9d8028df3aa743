#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/free_list.hpp>
#include <mallard/reuse/last_freed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace {

/// The contract of a list of any order. The blocks are carved right behind one another, so that those of 12 and of 20
/// bytes lie at multiples of 4.
template <class Order>
class free_list : public ::testing::Test {
protected:
    free_list() { mallard::core::poison(room_, sizeof room_); }
    ~free_list() override { mallard::core::unpoison(room_, sizeof room_); }

    using list_type = typename Order::of_one_size;

    std::vector<void*> carve(list_type& list, std::size_t count) {
        std::byte* cursor = room_;
        std::vector<void*> blocks(count);
        std::generate(blocks.begin(), blocks.end(), [&] { return list.carve(cursor, std::end(room_)); });
        return blocks;
    }

    static std::vector<void*> pop_all(list_type& list) {
        std::vector<void*> blocks;
        while (void* p = list.pop()) {
            blocks.push_back(p);
        }
        return blocks;
    }

    static constexpr std::array<std::size_t, 6> sizes = {8, 12, 16, 20, 24, 104};
    alignas(16) std::byte room_[1024];
};

using orders = ::testing::Types<mallard::last_freed, mallard::first_freed>;
TYPED_TEST_SUITE(free_list, orders);

TYPED_TEST(free_list, carves_adjacent_blocks_until_room_is_exhausted) {
    typename TestFixture::list_type list(20);
    std::byte* cursor = this->room_;
    std::byte* const limit = this->room_ + 59;
    EXPECT_EQ(list.carve(cursor, limit), this->room_);
    EXPECT_EQ(list.carve(cursor, limit), this->room_ + 20);
    EXPECT_EQ(list.carve(cursor, limit), nullptr);
    EXPECT_EQ(cursor, this->room_ + 40);
    EXPECT_EQ(list.blocks_in(59), 2U);
    EXPECT_EQ(list.blocks_in(60), 3U);
    EXPECT_EQ(list.room(3), 60U);
}

TYPED_TEST(free_list, returns_freed_blocks_once) {
    for (const std::size_t bytes : this->sizes) {
        typename TestFixture::list_type list(bytes);
        std::vector<void*> blocks = this->carve(list, 9);
        for (int round = 0; round < 3; ++round) {
            for (void* p : blocks) {
                list.push(p);
                EXPECT_FALSE(list.empty());
            }
            blocks = this->pop_all(list);
            EXPECT_TRUE(list.empty());
            std::vector<void*> sorted = blocks;
            std::ranges::sort(sorted);
            EXPECT_EQ(sorted, this->carve(list, 9)) << bytes << " bytes";
        }
    }
}

} // namespace

#include <mallard/core/free_block.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace {

using mallard::core::links;

class free_block : public ::testing::Test {
protected:
    mallard::core::free_block* block(std::size_t offset) {
        return reinterpret_cast<mallard::core::free_block*>(memory_.data() + offset);
    }

    alignas(16) std::array<std::byte, 64> memory_{};
};

TEST_F(free_block, links_to_block_at_any_address) {
    for (const std::size_t offset : {0U, 4U, 12U, 20U}) {
        links<false>::write(block(offset), block(40));
        EXPECT_EQ(links<false>::read(block(offset)), block(40));
        mallard::core::free_block* next = nullptr;
        std::memcpy(&next, memory_.data() + offset, sizeof next);
        EXPECT_EQ(next, block(40));
    }
}

TEST_F(free_block, head_pointer_links_to_block) {
    struct {
        std::size_t previous = 0;
        mallard::core::free_block* first = nullptr;
    } list;
    links<true>::write(&list.first, block(8));
    EXPECT_EQ(list.first, block(8)) << "the compiler knows that this was written to";
    EXPECT_EQ(links<true>::read(&list.first), block(8));
}

TEST_F(free_block, is_read_and_written_where_nobody_else_may) {
    mallard::core::poison(memory_.data(), memory_.size());
    links<true>::write(block(0), block(16));
    EXPECT_EQ(links<true>::read(block(0)), block(16));
    mallard::core::unpoison(memory_.data(), memory_.size());
}

} // namespace

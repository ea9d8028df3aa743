#include "equipment/out_of_memory.hpp"

#include <mallard/local/multipool.hpp>
#include <mallard/upstream/buffer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace {

class buffer : public ::testing::Test {
protected:
    alignas(64) std::array<std::byte, 256> memory_{};
    mallard::buffer buffer_{memory_};
};

TEST_F(buffer, gives_out_its_bytes_in_order) {
    EXPECT_EQ(buffer_.free_bytes(), 256U);
    EXPECT_EQ(buffer_.allocate(10, 1), memory_.data());
    EXPECT_EQ(buffer_.allocate(10, 32), memory_.data() + 32);
    EXPECT_EQ(buffer_.free_bytes(), 256U - 42U);
}

TEST_F(buffer, says_no_when_it_is_full) {
    static_cast<void>(buffer_.allocate(250, 1));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(7, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(1, 64)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(SIZE_MAX, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(0, std::size_t{1} << 63)));
    EXPECT_EQ(buffer_.allocate(6, 1), memory_.data() + 250) << "what failed took nothing";
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(0, 1)));
}

TEST_F(buffer, uses_the_last_block_again_and_no_other) {
    void* const a = buffer_.allocate(16, 8);
    void* const b = buffer_.allocate(16, 8);
    buffer_.deallocate(a, 16, 8);
    EXPECT_NE(buffer_.allocate(16, 8), a);
    static_cast<void>(b);
    void* const last = buffer_.allocate(0, 8);
    buffer_.deallocate(last, 0, 8);
    EXPECT_EQ(buffer_.allocate(16, 8), last);
}

TEST(buffer_without_bytes, gives_no_null_pointers) {
    mallard::buffer empty{{}};
    EXPECT_OUT_OF_MEMORY(static_cast<void>(empty.allocate(0, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(empty.allocate(1, 1)));
}

TEST_F(buffer, bounds_the_allocator_on_top_of_it) {
    mallard::multipool pool(buffer_, {.growth = {.first_chunk_bytes = 128, .largest_chunk_bytes = 128}});
    for (int i = 0; i < 5; ++i) {
        std::fill_n(static_cast<std::byte*>(pool.allocate(24, 8)), 24, std::byte{1});
    }
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(100, 8)));
}

} // namespace

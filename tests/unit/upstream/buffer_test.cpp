#include "equipment/out_of_memory.hpp"

#include <mallard/local/multipool.hpp>
#include <mallard/upstream/buffer.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace {

class buffer : public ::testing::Test {
protected:
    alignas(64) std::array<std::byte, 256> memory_{};
    mallard::buffer buffer_{memory_};
};

TEST_F(buffer, allocates_in_address_order) {
    EXPECT_EQ(buffer_.free_bytes(), 256U);
    EXPECT_EQ(buffer_.allocate(10, 1), memory_.data());
    EXPECT_EQ(buffer_.allocate(10, 32), memory_.data() + 32);
    EXPECT_EQ(buffer_.free_bytes(), 256U - 42U);
}

TEST_F(buffer, fails_when_full) {
    static_cast<void>(buffer_.allocate(250, 1));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(7, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(1, 64)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(SIZE_MAX, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(0, std::size_t{1} << 63)));
    EXPECT_EQ(buffer_.allocate(6, 1), memory_.data() + 250) << "what failed took nothing";
    EXPECT_OUT_OF_MEMORY(static_cast<void>(buffer_.allocate(0, 1)));
}

TEST_F(buffer, reuses_only_last_block) {
    void* const a = buffer_.allocate(16, 8);
    void* const b = buffer_.allocate(16, 8);
    buffer_.deallocate(a, 16, 8);
    EXPECT_NE(buffer_.allocate(16, 8), a);
    static_cast<void>(b);
    void* const last = buffer_.allocate(0, 8);
    buffer_.deallocate(last, 0, 8);
    EXPECT_EQ(buffer_.allocate(16, 8), last);
}

TEST_F(buffer, takes_padding_back_with_the_block_behind) {
    static_cast<void>(buffer_.allocate(10, 1));
    void* const a = buffer_.allocate(10, 1);
    void* const b = buffer_.allocate(10, 64);
    void* const c = buffer_.allocate(3, 1);
    void* const d = buffer_.allocate(8, 8);
    buffer_.deallocate(d, 8, 8);
    buffer_.deallocate(c, 3, 1);
    buffer_.deallocate(b, 10, 64);
    buffer_.deallocate(a, 10, 1);
    EXPECT_EQ(buffer_.free_bytes(), 246U);
}

TEST_F(buffer, enlarges_padding_by_no_more_than_a_record_needs) {
    constexpr std::size_t record_bytes = 2 * sizeof(void*);
    static_cast<void>(buffer_.allocate(record_bytes - 2, 1));
    EXPECT_EQ(buffer_.allocate(1, 2 * record_bytes), memory_.data() + 2 * record_bytes)
        << "room for a record";
    static_cast<void>(buffer_.allocate(record_bytes / 2, 1));
    EXPECT_EQ(buffer_.allocate(1, 8), memory_.data() + 4 * record_bytes) << "seven bytes would be too few";
}

TEST_F(buffer, fills_up_without_room_for_a_record) {
    void* const a = buffer_.allocate(225, 1);
    void* const b = buffer_.allocate(24, 8);
    EXPECT_EQ(b, memory_.data() + 232) << "a larger padding would leave no room";
    buffer_.deallocate(b, 24, 8);
    EXPECT_EQ(buffer_.allocate(24, 8), b);
    buffer_.deallocate(b, 24, 8);
    buffer_.deallocate(a, 225, 1);
    EXPECT_EQ(buffer_.free_bytes(), 256U);
}

/// In a large buffer, where records have room.
TEST(buffer_of_a_stack, loses_nothing_in_reverse_order) {
    struct block {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
        std::size_t old_free_bytes;
    };
    std::vector<std::byte> memory(1 << 16);
    mallard::buffer source(memory);
    std::vector<block> stack;
    std::mt19937 random(1);
    for (int step = 0; step < 20'000; ++step) {
        if (stack.empty() || (random() % 5 < 3 && source.free_bytes() > 1024)) {
            block b{nullptr, random() % 100, std::size_t{1} << random() % 8, source.free_bytes()};
            b.p = source.allocate(b.bytes, b.alignment);
            ASSERT_TRUE(mallard::core::is_aligned(b.p, b.alignment));
            std::memset(b.p, 0xff, b.bytes);
            stack.push_back(b);
        } else {
            const block b = stack.back();
            stack.pop_back();
            source.deallocate(b.p, b.bytes, b.alignment);
            ASSERT_EQ(source.free_bytes(), b.old_free_bytes);
        }
    }
}

TEST(buffer_without_bytes, gives_no_null_pointers) {
    mallard::buffer empty{{}};
    EXPECT_OUT_OF_MEMORY(static_cast<void>(empty.allocate(0, 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(empty.allocate(1, 1)));
}

} // namespace

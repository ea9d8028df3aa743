#include "equipment/out_of_memory.hpp"

#include <mallard/core/failure.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

std::size_t calls = 0;
std::size_t heard_bytes = 0;
std::size_t heard_alignment = 0;

void listen(std::size_t bytes, std::size_t alignment) noexcept {
    ++calls;
    heard_bytes = bytes;
    heard_alignment = alignment;
    std::fputs("heard; ", stderr);
}

class failure : public ::testing::Test {
protected:
    ~failure() override { mallard::set_out_of_memory_handler(nullptr); }
};

TEST_F(failure, is_reported_without_a_handler) {
    EXPECT_OUT_OF_MEMORY(mallard::core::fail_allocation(40, 8));
}

TEST_F(failure, installing_returns_previous_handler) {
    EXPECT_EQ(mallard::set_out_of_memory_handler(listen), nullptr);
    EXPECT_EQ(mallard::set_out_of_memory_handler(nullptr), listen);
    EXPECT_EQ(mallard::set_out_of_memory_handler(nullptr), nullptr);
}

TEST_F(failure, quiet_requests_suppress_handler) {
    mallard::set_out_of_memory_handler(listen);
    calls = 0;
    {
        const mallard::core::quiet_failures quiet;
        EXPECT_TRUE(mallard::core::quiet_failures::expected());
        EXPECT_OUT_OF_MEMORY(mallard::core::fail_allocation(40, 8));
    }
    EXPECT_EQ(calls, 0U);
    EXPECT_FALSE(mallard::core::quiet_failures::expected());
}

#ifdef __cpp_exceptions

TEST_F(failure, message_names_request_and_remedy) {
    try {
        mallard::core::refuse_request(40, 16, 24, 8);
    } catch (const std::bad_alloc& refused) {
        EXPECT_STREQ(
            refused.what(),
            "mallard: a request for 40 bytes at alignment 16 is refused: blocks of this pool have 24 "
            "bytes at alignment 8; construct the pool with the block_size of its largest request");
    }
    try {
        mallard::core::refuse_for_want_of_room(40, 16);
    } catch (const std::bad_alloc& refused) {
        EXPECT_STREQ(refused.what(), "mallard: a request for 40 bytes at alignment 16 is refused: the pool's "
                                     "arena has no room for one such block; make it larger");
    }
}

TEST_F(failure, of_no_request_has_no_bytes) {
    mallard::set_out_of_memory_handler(listen);
    calls = 0;
    EXPECT_THROW(mallard::core::refuse_foreign_region(this), std::bad_alloc);
    EXPECT_EQ(calls, 1U);
    EXPECT_EQ(heard_bytes, 0U);
    EXPECT_EQ(heard_alignment, 1U);
}

TEST_F(failure, tells_the_handler_first) {
    mallard::set_out_of_memory_handler(listen);
    calls = 0;
    EXPECT_THROW(mallard::core::fail_allocation(40, 32), std::bad_alloc);
    EXPECT_EQ(calls, 1U);
    EXPECT_EQ(heard_bytes, 40U);
    EXPECT_EQ(heard_alignment, 32U);
}

#else

TEST_F(failure, tells_the_handler_first_and_ends_the_program) {
    mallard::set_out_of_memory_handler(listen);
    EXPECT_DEATH(mallard::core::fail_allocation(40, 32),
                 "heard; mallard: out of memory: 40 bytes at alignment 32");
}

#endif

} // namespace

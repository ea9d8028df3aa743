#include <mallard/local/growth.hpp>

#include <gtest/gtest.h>

namespace {

TEST(growth, doubles_up_to_the_cap) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    for (const std::size_t expected : {64U, 128U, 256U, 512U, 1024U, 1024U, 1024U}) {
        const std::size_t bytes = next.bytes_for(24);
        EXPECT_EQ(bytes, expected);
        next.took(bytes);
    }
}

TEST(growth, grows_by_its_factor) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 2048, .factor = 4});
    for (const std::size_t expected : {64U, 256U, 1024U, 2048U, 2048U}) {
        const std::size_t bytes = next.bytes_for(24);
        EXPECT_EQ(bytes, expected);
        next.took(bytes);
    }
}

TEST(growth, doubles_from_64_kib_on) {
    mallard::next_chunk next({.first_chunk_bytes = 32 << 10, .factor = 4});
    for (const std::size_t expected : {32U << 10, 128U << 10, 256U << 10, 512U << 10}) {
        EXPECT_EQ(next.bytes_for(24), expected);
        next.took(expected);
    }
}

TEST(growth, goes_on_with_the_first_size_after_a_smaller_chunk) {
    mallard::next_chunk next({.first_chunk_bytes = 256, .largest_chunk_bytes = 2048, .factor = 4});
    next.took(40);
    EXPECT_EQ(next.bytes_for(24), 256U);
}

TEST(growth, tells_its_cap) {
    EXPECT_EQ(mallard::next_chunk({.largest_chunk_bytes = 1024}).largest_bytes(), 1024U);
}

TEST(growth, makes_room_for_a_large_request) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    EXPECT_EQ(next.bytes_for(65), 128U);
    EXPECT_EQ(next.bytes_for(513), 1024U);
    EXPECT_EQ(next.bytes_for(1025), 1025U) << "beyond the cap a request gets what it needs and no more";
    next.took(512);
    EXPECT_EQ(next.bytes_for(1), 1024U);
}

TEST(growth, stays_at_the_cap_after_a_larger_request) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    next.took(5000);
    EXPECT_EQ(next.bytes_for(1), 1024U);
}

TEST(growth, plans_nothing_until_a_chunk_was_taken) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    EXPECT_EQ(next.bytes_for(300), 512U);
    EXPECT_EQ(next.bytes_for(1), 64U) << "the request that failed left no trace";
}

TEST(growth, begins_again) {
    mallard::next_chunk next({.first_chunk_bytes = 64, .largest_chunk_bytes = 1024});
    next.took(512);
    next.restart();
    EXPECT_EQ(next.bytes_for(1), 64U);
    EXPECT_EQ(next.first_bytes(), 64U);
    next.restart(300);
    EXPECT_EQ(next.bytes_for(1), 512U);
    next.restart(100000);
    EXPECT_EQ(next.bytes_for(1), 1024U);
}

TEST(growth, can_be_constant) {
    mallard::next_chunk next({.first_chunk_bytes = 4096, .largest_chunk_bytes = 4096});
    next.took(4096);
    EXPECT_EQ(next.bytes_for(1), 4096U);
}

TEST(growth, is_small) {
    EXPECT_LE(sizeof(mallard::next_chunk), 4U);
}

} // namespace

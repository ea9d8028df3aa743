#include <mallard/core/chunk_growth.hpp>
#include <mallard/impl/chunks/growth.hpp>

#include <gtest/gtest.h>

namespace {

TEST(chunk_growth, begins_with_256_bytes_and_doubles) {
    mallard::chunks::next_chunk next(mallard::chunk_growth{});
    EXPECT_EQ(next.bytes(), 256U);
    next.took(256, 16);
    EXPECT_EQ(next.bytes(), 512U);
}

} // namespace

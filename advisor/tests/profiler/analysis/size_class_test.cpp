#include "profiler/scopes/size_class.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::largest_size;
using mallard::advisor::size_classes;
using mallard::advisor::to_size_class;

TEST(size_class, each_class_ends_where_the_next_begins) {
    for (unsigned index = 0; index + 1 < size_classes; ++index) {
        const std::uint64_t most = largest_size(index);
        ASSERT_EQ(to_size_class(most), index);
        ASSERT_EQ(to_size_class(most + 1), index + 1);
        ASSERT_LE(largest_size(index + 1) - most, most > 128 ? most / 8 : 16) << index;
    }
    EXPECT_EQ(to_size_class(0), 0U);
    EXPECT_EQ(to_size_class(~std::uint64_t{0}), size_classes - 1);
    EXPECT_EQ(largest_size(size_classes - 1), ~std::uint64_t{0});
}

} // namespace

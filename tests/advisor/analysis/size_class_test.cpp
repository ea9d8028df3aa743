#include "advisor/scopes/size_class.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::most_bytes_of;
using mallard::advisor::size_class_of;
using mallard::advisor::size_classes;

TEST(size_class, each_class_ends_where_the_next_begins) {
    for (unsigned which = 0; which + 1 < size_classes; ++which) {
        const std::uint64_t most = most_bytes_of(which);
        ASSERT_EQ(size_class_of(most), which);
        ASSERT_EQ(size_class_of(most + 1), which + 1);
        ASSERT_LE(most_bytes_of(which + 1) - most, most > 128 ? most / 8 : 16) << which;
    }
    EXPECT_EQ(size_class_of(0), 0U);
    EXPECT_EQ(size_class_of(~std::uint64_t{0}), size_classes - 1);
    EXPECT_EQ(most_bytes_of(size_classes - 1), ~std::uint64_t{0});
}

} // namespace

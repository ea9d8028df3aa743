#include <mallard/debug/checked_by_default.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

/// The unit tests are compiled without checks; tests/misuse has those with.
TEST(checked_by_default, leaves_the_names_to_the_mechanisms_where_it_is_off) {
    EXPECT_EQ(MALLARD_CHECKED, 0);
    EXPECT_TRUE((std::is_same_v<mallard::monotonic<>, mallard::unchecked::monotonic<>>));
    EXPECT_TRUE((std::is_same_v<mallard::multipool<>, mallard::unchecked::multipool<>>));
    EXPECT_TRUE(
        (std::is_same_v<mallard::concurrent_multipool<>, mallard::unchecked::concurrent_multipool<>>));
}

} // namespace

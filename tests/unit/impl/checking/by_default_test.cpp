#include <mallard/impl/checking/by_default.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

/// The unit tests are compiled without checks; tests/misuse covers checked builds.
TEST(by_default, names_unchecked_types_when_off) {
    EXPECT_EQ(MALLARD_CHECKED, 0);
    using mechanism = mallard::unchecked::monotonic<mallard::chunk_cache>;
    EXPECT_TRUE((std::is_same_v<mallard::checking::by_default<mechanism>, mechanism>));
    EXPECT_TRUE((std::is_base_of_v<mechanism, mallard::monotonic<>>));
    EXPECT_EQ(sizeof(mallard::monotonic<>), sizeof(mechanism));
}

template <class A>
constexpr bool checks = requires(A& a) { a.check(); };

TEST(by_default, gives_no_release_build_anything_to_check_with) {
    EXPECT_FALSE(checks<mallard::monotonic<>>);
    EXPECT_FALSE(checks<mallard::multipool<>>);
    EXPECT_FALSE(checks<mallard::concurrent_multipool<>>);
}

} // namespace

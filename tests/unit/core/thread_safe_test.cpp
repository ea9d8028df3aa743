#include <mallard/core/thread_safe.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

struct locks_by_itself {};

} // namespace

template <>
inline constexpr bool mallard::thread_safe<locks_by_itself> = true;

namespace {

TEST(thread_safe, holds_for_concurrent_allocators) {
    EXPECT_TRUE(mallard::thread_safe<mallard::new_delete>);
    EXPECT_TRUE(mallard::thread_safe<mallard::pages>);
    EXPECT_TRUE(mallard::thread_safe<mallard::chunk_cache>);
    EXPECT_TRUE(mallard::thread_safe<mallard::concurrent_multipool<>>);
    EXPECT_TRUE(mallard::thread_safe<mallard::synchronized<mallard::multipool<>>>);
    EXPECT_TRUE(mallard::thread_safe<mallard::counted<mallard::synchronized<mallard::multipool<>>>>);
    EXPECT_TRUE(mallard::thread_safe<mallard::limited<mallard::concurrent_multipool<>>>);
}

TEST(thread_safe, is_opt_in) {
    EXPECT_FALSE(mallard::thread_safe<mallard::multipool<>>);
    EXPECT_FALSE(mallard::thread_safe<mallard::monotonic<>>);
    EXPECT_FALSE(mallard::thread_safe<mallard::buffer>);
    EXPECT_FALSE(mallard::thread_safe<mallard::counted<mallard::multipool<>>>);
    EXPECT_FALSE(mallard::thread_safe<mallard::failing<mallard::synchronized<mallard::multipool<>>>>)
        << "its plan is not protected";
}

TEST(thread_safe, can_be_specialised) {
    EXPECT_TRUE(mallard::thread_safe<locks_by_itself>);
}

} // namespace

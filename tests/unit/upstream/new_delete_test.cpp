#include <mallard/core/sanitizer.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

TEST(new_delete, default_alignment_is_fundamental) {
    void* const p = mallard::new_delete::allocate(1);
    EXPECT_TRUE(mallard::core::is_aligned(p, alignof(std::max_align_t)));
    mallard::new_delete::deallocate(p, 1);
}

TEST(new_delete, serves_without_an_exception) {
    for (const std::size_t alignment : {std::size_t{8}, std::size_t{64}}) {
        void* const p = mallard::new_delete::try_allocate(100, alignment);
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
        mallard::new_delete::deallocate(p, 100, alignment);
    }
}

// The sanitizers abort on impossible sizes in operator new.
#if !defined(__SANITIZE_THREAD__) && !defined(MALLARD_ASAN)
TEST(new_delete, tells_the_handler_where_the_global_allocator_fails) {
    mallard::set_out_of_memory_handler(
        [](std::size_t, std::size_t) noexcept { std::fputs("heard; ", stderr); });
    for (const std::size_t alignment : {std::size_t{8}, std::size_t{64}}) {
#ifdef __cpp_exceptions
        testing::internal::CaptureStderr();
        EXPECT_THROW(static_cast<void>(mallard::new_delete::allocate(PTRDIFF_MAX / 2, alignment)),
                     std::bad_alloc);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "heard; ");
#else
        EXPECT_DEATH(static_cast<void>(mallard::new_delete::allocate(PTRDIFF_MAX / 2, alignment)),
                     "heard; mallard: out of memory");
#endif
    }
    mallard::set_out_of_memory_handler(nullptr);
}

TEST(new_delete, returns_null_without_an_exception) {
    EXPECT_EQ(mallard::new_delete::try_allocate(PTRDIFF_MAX / 2, 8), nullptr);
    EXPECT_EQ(mallard::new_delete::try_allocate(PTRDIFF_MAX / 2, 64), nullptr);
}
#endif

} // namespace

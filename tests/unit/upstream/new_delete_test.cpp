#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace {

TEST(new_delete, serves_every_alignment) {
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, alignment + 1, std::size_t{1000}}) {
            void* const p = mallard::new_delete::allocate(bytes, alignment);
            ASSERT_NE(p, nullptr);
            ASSERT_TRUE(mallard::is_aligned(p, alignment));
            std::memset(p, 1, bytes);
            mallard::new_delete::deallocate(p, bytes, alignment);
        }
    }
}

TEST(new_delete, is_aligned_for_everything_usual_by_default) {
    void* const p = mallard::new_delete::allocate(1);
    EXPECT_TRUE(mallard::is_aligned(p, alignof(std::max_align_t)));
    mallard::new_delete::deallocate(p, 1);
}

} // namespace

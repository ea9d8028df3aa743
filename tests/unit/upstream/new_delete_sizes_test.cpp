// Sizes that an operator new of a program would wrap when it rounds them up to an alignment.
#include "equipment/out_of_memory.hpp"

#include <mallard/bind/pooled.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace {

TEST(new_delete_sizes, without_a_representation_are_refused) {
    for (unsigned k = 0; k < 64; ++k) {
        const std::size_t alignment = std::size_t{1} << k;
        for (const std::size_t less :
             {std::size_t{0}, std::size_t{1}, alignment - 1, alignment, SIZE_MAX / 2}) {
            const std::size_t bytes = SIZE_MAX - less;
            SCOPED_TRACE(::testing::Message() << bytes << " at " << alignment);
            if (bytes <= PTRDIFF_MAX) {
                continue;
            }
            EXPECT_EQ(mallard::new_delete::try_allocate(bytes, alignment), nullptr);
            EXPECT_EQ(mallard::bind::global_heap::try_allocate(bytes, alignment), nullptr);
#ifndef __cpp_exceptions
            if (k % 16 != 5 || less != 0) {
                continue; // each one ends a program
            }
#endif
            EXPECT_OUT_OF_MEMORY(static_cast<void>(mallard::new_delete::allocate(bytes, alignment)));
            EXPECT_OUT_OF_MEMORY(static_cast<void>(mallard::bind::global_heap::allocate(bytes, alignment)));
            EXPECT_OUT_OF_MEMORY(static_cast<void>(mallard::chunk_cache::allocate(bytes, alignment)));
        }
        // Rounded up to the alignment, such a size is more than the largest there can be.
        if (alignment > 16) {
            EXPECT_EQ(mallard::new_delete::try_allocate(std::size_t{PTRDIFF_MAX}, alignment), nullptr);
        }
    }
    const std::size_t widest = std::size_t{1} << 63;
    EXPECT_EQ(mallard::new_delete::try_allocate(1, widest), nullptr);
}

} // namespace

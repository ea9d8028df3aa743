#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/impl/chunks/held_list.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

class held_list : public equipment::on_ledger {
protected:
    mallard::chunks::held_list list_;
};

/// An upstream that fails, and records the largest request.
struct refusing_upstream {
    void* allocate(std::size_t bytes, std::size_t alignment) {
        largest_request = std::max(largest_request, bytes);
        mallard::core::fail_allocation(bytes, alignment);
    }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}
    std::size_t largest_request = 0;
};

TEST_F(held_list, leaves_unrepresentable_requests_to_the_upstream) {
    for (unsigned log2 = 0; log2 != 64; ++log2) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{PTRDIFF_MAX} - 1000,
                                        std::size_t{PTRDIFF_MAX}, SIZE_MAX / 2 + 2, SIZE_MAX}) {
            refusing_upstream none;
            EXPECT_OUT_OF_MEMORY(static_cast<void>(list_.allocate(none, bytes, std::size_t{1} << log2)));
#ifdef __cpp_exceptions // without exceptions the failing request ends the process
            EXPECT_GE(none.largest_request, bytes) << bytes << " at 2^" << log2 << " wrapped";
#endif
        }
    }
}

TEST_F(held_list, keeps_chunks_and_large_blocks_apart) {
    std::byte* const room = list_.add_chunk(source_, 256);
    EXPECT_TRUE(mallard::core::is_aligned(room, mallard::fundamental_alignment));
    static_cast<void>(list_.add_chunk(source_, 100));
    static_cast<void>(list_.allocate(source_, 50, 8));
    const mallard::allocator_stats stats = list_.stats();
    EXPECT_EQ(stats.chunks, 2U);
    EXPECT_EQ(stats.chunk_bytes, 356U) << "exactly the requested bytes";
    EXPECT_EQ(stats.large_blocks, 1U);
    EXPECT_EQ(stats.chunk_bytes + stats.large_bytes, source_.outstanding_bytes());
    list_.release(source_);
}

TEST_F(held_list, owns_the_rooms_of_chunks_and_large_blocks) {
    const std::byte* const room = list_.add_chunk(source_, 640);
    const auto* const block = static_cast<std::byte*>(list_.allocate(source_, 100, 64));
    for (const auto& [begin, bytes] :
         {std::pair(room, 640 - sizeof(mallard::chunks::held)), std::pair(block, 100UL)}) {
        EXPECT_TRUE(list_.owns(begin));
        EXPECT_TRUE(list_.owns(begin + bytes - 1));
        EXPECT_FALSE(list_.owns(begin + bytes));
        EXPECT_FALSE(list_.owns(begin - 1));
    }
    EXPECT_FALSE(list_.owns(&list_));
    list_.release(source_);
    EXPECT_FALSE(list_.owns(room));
}

TEST_F(held_list, returns_large_blocks_from_between_chunks) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 6; ++i) {
        static_cast<void>(list_.add_chunk(source_, 64 + 8 * i));
        blocks.push_back(list_.allocate(source_, 100, 64));
        blocks.push_back(list_.allocate(source_, 100, 8));
    }
    for (const std::size_t i : {3U, 2U, 0U, 11U, 10U, 5U, 6U, 1U, 4U, 9U, 7U, 8U}) {
        list_.deallocate(source_, blocks[i]);
    }
    EXPECT_EQ(list_.stats().large_blocks, 0U);
    EXPECT_EQ(list_.stats().chunks, 6U);
    EXPECT_EQ(list_.stats().chunk_bytes, source_.outstanding_bytes());
    list_.release(source_);
}

} // namespace

#include "equipment/heaps.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/impl/space/heap_calls.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using mallard::expansion;
using mallard::expansion_request;

template <class Environment>
class heap_calls : public ::testing::Test {
protected:
    ~heap_calls() override { EXPECT_EQ(equipment::find_defect(heap_), ""); }

    static constexpr std::size_t granule =
        std::remove_reference_t<decltype(Environment::heap)>::granule_bytes;

    std::byte* allocate(std::size_t bytes) {
        auto* const p = static_cast<std::byte*>(heap_.allocate(bytes, 8));
        std::memset(p, 'x', bytes);
        return p;
    }

    /// Returns: neighbours, each as large as the first one.
    std::vector<std::byte*> row(std::size_t count, std::size_t bytes) {
        std::vector<std::byte*> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(allocate(bytes));
        }
        return all;
    }

    static bool holds(const std::byte* p, std::size_t bytes) {
        return std::all_of(p, p + bytes, [](std::byte b) { return b == std::byte{'x'}; });
    }

    Environment environment_;
    std::remove_reference_t<decltype(Environment::heap)>& heap_ = environment_.heap;
};

using environments = ::testing::Types<equipment::heap_on_ledger, equipment::heap_in_region>;
TYPED_TEST_SUITE(heap_calls, environments);

TYPED_TEST(heap_calls, add_one_word_to_a_block) {
    std::byte* const first = this->allocate(24);
    for (std::size_t i = 1; i < 100; ++i) {
        EXPECT_EQ(this->allocate(24), first + 32 * i);
    }
    std::byte* const larger = this->allocate(1000);
    EXPECT_EQ(this->allocate(1), larger + 1008);
}

TYPED_TEST(heap_calls, reuse_freed_block_of_equal_size) {
    const auto b = this->row(20, 100);
    this->heap_.deallocate(b[5]);
    this->heap_.deallocate(b[6]);
    EXPECT_EQ(this->heap_.use().waiting_blocks, 2U) << "neighbours are not merged yet";
    EXPECT_EQ(this->heap_.use().free_blocks, 3U) << "the remainder is one";
    EXPECT_EQ(this->allocate(104), b[6]) << "of the same size with its tag";
    EXPECT_EQ(this->heap_.try_allocate(100), b[5]);
    EXPECT_EQ(this->heap_.use().waiting_blocks, 0U);
}

TYPED_TEST(heap_calls, trim_merges_waiting_blocks) {
    const auto b = this->row(20, 100);
    for (const std::size_t i : {5U, 7U, 6U}) {
        this->heap_.deallocate(b[i]);
    }
    this->heap_.settle();
    EXPECT_EQ(this->heap_.use().waiting_blocks, 0U);
    EXPECT_EQ(this->heap_.use().free_blocks, 2U);
    this->heap_.settle();
    EXPECT_EQ(equipment::find_defect(this->heap_), "");
}

TYPED_TEST(heap_calls, know_the_size_of_a_block) {
    for (const std::size_t bytes : {0U, 1U, 24U, 25U, 1000U, 100000U}) {
        void* const p = this->heap_.allocate(bytes, 8);
        const std::size_t usable = this->heap_.usable_bytes(p);
        EXPECT_GE(usable, bytes);
        EXPECT_LT(usable, std::max<std::size_t>(bytes + TestFixture::granule, 25));
        std::memset(p, 1, usable);
        const mallard::sized_block block = this->heap_.allocate_at_least(bytes, 8);
        EXPECT_EQ(block.bytes, this->heap_.usable_bytes(block.p));
        std::memset(block.p, 1, block.bytes);
        this->heap_.deallocate(p);
        this->heap_.deallocate(block.p, bytes, 1);
    }
    EXPECT_EQ(this->heap_.use().used_blocks, 0U);
}

/// A block that has the least already grows to the preferred size if that is there, and else stays as it is.
TYPED_TEST(heap_calls, grow_a_block_as_far_as_is_preferred) {
    const auto b = this->row(3, 100);
    this->heap_.deallocate(b[1]);
    const expansion_request request{
        .least_bytes = 50, .preferred_bytes = 200, .allowed = expansion::forward_or_fresh};
    const auto grown = this->heap_.expand(b[0], request);
    EXPECT_EQ(grown.p, b[0]);
    EXPECT_EQ(grown.method, expansion::forward);
    EXPECT_GE(grown.bytes, 200U);
    EXPECT_TRUE(this->holds(b[0], 100));
    std::memset(grown.p, 'x', grown.bytes);
    const auto unchanged =
        this->heap_.expand(b[0], {.least_bytes = 50, .preferred_bytes = 5000, .allowed = expansion::forward});
    EXPECT_EQ(unchanged.p, b[0]);
    EXPECT_EQ(unchanged.bytes, grown.bytes);
    const auto last =
        this->heap_.expand(b[2], {.least_bytes = 50, .preferred_bytes = 2000, .allowed = expansion::forward});
    EXPECT_EQ(last.p, b[2]);
    EXPECT_GE(last.bytes, 2000U);
    std::memset(last.p, 'x', last.bytes);
}

TYPED_TEST(heap_calls, grow_a_block_in_both_directions) {
    const auto b = this->row(5, 240);
    this->heap_.deallocate(b[1]);
    this->heap_.deallocate(b[3]);
    expansion_request request{.least_bytes = 600, .preferred_bytes = 600, .allowed = expansion::forward};
    EXPECT_EQ(this->heap_.expand(b[2], request).p, nullptr);
    request.allowed = expansion::backward;
    EXPECT_EQ(this->heap_.expand(b[2], request).p, nullptr) << "one side is not enough";
    request.allowed = expansion::in_place;
    const auto grown = this->heap_.expand(b[2], request);
    EXPECT_EQ(grown.method, expansion::backward);
    EXPECT_GE(grown.bytes, 600U);
    EXPECT_TRUE(this->holds(b[2], 240));
    std::memset(grown.p, 'x', grown.bytes);
    EXPECT_TRUE(this->holds(b[0], 240) && this->holds(b[4], 240));
}

TYPED_TEST(heap_calls, go_no_way_that_is_not_allowed) {
    const auto b = this->row(5, 240);
    this->heap_.deallocate(b[1]);
    this->heap_.deallocate(b[3]);
    const std::size_t used = this->heap_.use().used_bytes;
    for (const expansion may :
         {expansion::none, expansion::forward, expansion::backward, expansion::in_place}) {
        for (const std::size_t bytes : {std::size_t{1000}, SIZE_MAX, std::size_t{PTRDIFF_MAX}}) {
            const auto result = this->heap_.try_expand(
                b[2], {.least_bytes = bytes, .preferred_bytes = SIZE_MAX, .allowed = may});
            EXPECT_EQ(result.p, nullptr);
            EXPECT_EQ(result.bytes, 0U);
            EXPECT_EQ(result.method, expansion::none);
        }
    }
    EXPECT_EQ(
        this->heap_.expand(b[2], {.least_bytes = 300, .preferred_bytes = 300, .allowed = expansion::backward})
            .method,
        expansion::backward);
    EXPECT_EQ(
        this->heap_.expand(b[0], {.least_bytes = 2000, .preferred_bytes = 2000, .allowed = expansion::fresh})
            .method,
        expansion::fresh);
    EXPECT_GT(this->heap_.use().used_bytes, used + 2000);
}

TYPED_TEST(heap_calls, grow_aligned_blocks_by_alignment_multiples) {
    auto* const front = static_cast<std::byte*>(this->heap_.allocate(1000, 64));
    auto* const p = static_cast<std::byte*>(this->heap_.allocate(320, 64));
    this->allocate(40);
    std::memset(p, 'x', 320);
    this->heap_.deallocate(front);
    const auto grown = this->heap_.expand(p, {.least_bytes = 400,
                                              .preferred_bytes = 400,
                                              .alignment = 64,
                                              .step_bytes = mallard::backward_step(64),
                                              .allowed = expansion::backward});
    ASSERT_EQ(grown.method, expansion::backward);
    EXPECT_TRUE(mallard::core::is_aligned(grown.p, 64));
    EXPECT_TRUE(this->holds(p, 320));
}

TYPED_TEST(heap_calls, shrink_in_place) {
    const auto b = this->row(2, 4000);
    const std::size_t remaining = this->heap_.shrink(b[0], 100);
    EXPECT_GE(remaining, 100U);
    EXPECT_LT(remaining, 100U + 32U);
    EXPECT_EQ(remaining, this->heap_.usable_bytes(b[0]));
    EXPECT_TRUE(this->holds(b[0], remaining));
    const std::byte* const within = this->allocate(3500);
    EXPECT_TRUE(within > b[0] && within < b[0] + 4000) << "others use what it gave back";
    EXPECT_EQ(this->heap_.shrink(b[0], remaining), remaining);
    EXPECT_EQ(this->heap_.shrink(b[1], 0), 24U);
    EXPECT_TRUE(this->holds(b[1], 24));
}

TYPED_TEST(heap_calls, know_the_bytes_before_they_shrink) {
    std::size_t unchanged = 0;
    for (const bool is_free : {true, false}) { // the block behind
        for (std::size_t had = 24; had < 400; had += 8) {
            for (std::size_t bytes = 0; bytes <= had; bytes += 8) {
                const auto b = this->row(3, had);
                if (is_free) {
                    this->heap_.deallocate(b[1]);
                    this->heap_.settle();
                }
                const std::size_t usable = this->heap_.usable_bytes(b[0]);
                const std::size_t expected = this->heap_.shrunk_bytes(b[0], bytes);
                ASSERT_EQ(this->heap_.usable_bytes(b[0]), usable);
                ASSERT_EQ(this->heap_.shrink(b[0], bytes), expected) << had << " to " << bytes;
                unchanged += expected == usable && bytes + 16 <= usable ? 1 : 0;
                this->heap_.release();
            }
        }
    }
    EXPECT_GT(unchanged, 0U) << "a rest that is too short stays";
    const auto last = this->allocate(1000); // the remainder is behind it
    const std::size_t expected = this->heap_.shrunk_bytes(last, 990);
    EXPECT_EQ(this->heap_.shrink(last, 990), expected);
}

TYPED_TEST(heap_calls, allocate_many_in_runs) {
    for (const std::size_t contiguous : {1U, 3U, 7U, 100U, 1000U}) {
        // Holes of one block, which have no room for a run.
        const auto holes = this->row(200, 24);
        for (std::size_t i = 0; i != holes.size(); i += 2) {
            this->heap_.deallocate(holes[i]);
        }
        mallard::block_chain blocks = this->heap_.allocate_many(24, 8, 100, contiguous);
        ASSERT_EQ(blocks.size(), 100U);
        mallard::block_chain all;
        std::byte* previous = nullptr;
        for (std::size_t i = 0; i != 100; ++i) {
            auto* const p = static_cast<std::byte*>(blocks.pop_front());
            if (i % contiguous != 0) {
                ASSERT_EQ(p, previous + 32) << i << " of runs of " << contiguous;
            }
            std::memset(p, 1, 24);
            previous = p;
            all.push_back(p);
        }
        this->heap_.deallocate_many(std::move(all));
        EXPECT_EQ(this->heap_.use().used_blocks, 100U);
        this->heap_.release();
    }
    EXPECT_TRUE(this->heap_.allocate_many(24, 8, 0, 5).empty());
}

TYPED_TEST(heap_calls, lose_no_block_without_room_for_runs) {
    for (const std::size_t bytes : {std::size_t{24}, SIZE_MAX / 4, SIZE_MAX / 2}) {
        EXPECT_OUT_OF_MEMORY(static_cast<void>(this->heap_.allocate_many(bytes, 8, SIZE_MAX / 64, SIZE_MAX)));
        EXPECT_EQ(this->heap_.use().used_blocks, 0U);
    }
}

TYPED_TEST(heap_calls, allocate_many_side_by_side) {
    mallard::block_chain blocks = this->heap_.allocate_many(24, 8, 100);
    ASSERT_EQ(blocks.size(), 100U);
    auto* previous = static_cast<std::byte*>(blocks.pop_front());
    mallard::block_chain all;
    all.push_back(previous);
    while (void* p = blocks.pop_front()) {
        EXPECT_EQ(p, previous + 32);
        previous = static_cast<std::byte*>(p);
        all.push_back(p);
    }
    const std::size_t used = this->heap_.use().used_blocks;
    EXPECT_EQ(used, 100U);
    this->heap_.deallocate_many(std::move(all));
    EXPECT_TRUE(all.empty());
    EXPECT_EQ(this->heap_.use().used_blocks, 0U);
    EXPECT_TRUE(this->heap_.allocate_many(24, 8, 0).empty());
}

TYPED_TEST(heap_calls, prefer_less_to_nothing) {
    const auto fresh = this->heap_.expand(
        nullptr, {.least_bytes = 100, .preferred_bytes = SIZE_MAX, .allowed = expansion::fresh});
    EXPECT_NE(fresh.p, nullptr);
    EXPECT_GE(fresh.bytes, 100U);
}

/// Blocks are freed side by side, and some of them wait. Then one block needs the memory of all of them.
TEST(heap_calls_in_a_full_region, merge_waiting_blocks_on_exhaustion) {
    equipment::heap_in_region environment;
    auto& heap = environment.heap;
    std::vector<void*> blocks;
    while (void* const p = heap.try_allocate(1000)) {
        blocks.push_back(p);
    }
    const std::size_t freed = 40;
    ASSERT_GT(blocks.size(), 2 * freed);
    for (std::size_t i = 0; i != freed; ++i) {
        heap.deallocate(blocks[i]);
    }
    ASSERT_GT(heap.use().waiting_blocks, 0U);
    const std::size_t together = freed * 1008 - 8;
    ASSERT_LT(heap.use().largest_free_bytes, together);
    EXPECT_EQ(heap.allocate(together), blocks[0]);
    EXPECT_EQ(heap.use().waiting_blocks, 0U);
}

} // namespace

#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/fallback.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using small_pool =
    mallard::fixed_pool<mallard::static_arena<1024>, mallard::last_freed, mallard::block_size{64}>;
using spilling = mallard::fallback<small_pool, mallard::counted<mallard::multipool<>>>;

static_assert(mallard::local_allocator<spilling>);
static_assert(!mallard::thread_safe<spilling>);

TEST(fallback, uses_second_mechanism_when_first_is_full) {
    spilling memory;
    std::vector<void*> all;
    while (memory.second().counts().allocations == 0) {
        all.push_back(memory.allocate(64, 8));
    }
    EXPECT_TRUE(memory.first().owns(all.front()));
    EXPECT_FALSE(memory.first().owns(all.back()));
    for (void* const p : all) {
        memory.deallocate(p, 64, 8);
    }
    EXPECT_EQ(memory.second().counts().deallocations, 1U);
    EXPECT_TRUE(memory.first().owns(memory.allocate(64, 8))) << "the first has room again";
}

TEST(fallback, uses_second_mechanism_for_oversized_requests) {
    spilling memory;
    void* const large = memory.allocate(65, 8);
    void* const strict = memory.allocate(8, 4096);
    EXPECT_EQ(memory.second().counts().allocations, 2U);
    memory.deallocate(large, 65, 8);
    memory.deallocate(strict, 8, 4096);
    EXPECT_EQ(memory.second().counts().bytes_in_use, 0U);
}

TEST(fallback, fails_when_both_do) {
    equipment::ledger source;
    mallard::fallback<small_pool, mallard::multipool<equipment::ledger>> memory(
        std::piecewise_construct, std::tuple<>(), std::forward_as_tuple(source));
    source.fail({.at = 1, .for_ever = true});
    for (std::size_t i = 0; i != memory.first().capacity(); ++i) {
        static_cast<void>(memory.allocate(64, 8));
    }
    EXPECT_OUT_OF_MEMORY(static_cast<void>(memory.allocate(64, 8)));
    source.fail({.at = 0});
    EXPECT_NE(memory.allocate(64, 8), nullptr);
}

TEST(fallback, releases_both) {
    equipment::ledger source;
    mallard::fallback<small_pool, mallard::multipool<equipment::ledger>> memory(
        std::piecewise_construct, std::tuple<>(), std::forward_as_tuple(source));
    for (int i = 0; i != 100; ++i) {
        static_cast<void>(memory.allocate(64, 8));
    }
    EXPECT_EQ(memory.stats().chunk_bytes, source.outstanding_bytes());
    memory.release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_TRUE(memory.first().owns(memory.allocate(64, 8)));
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(fallback, goes_from_a_buffer_to_a_heap) {
    std::array<std::byte, 256> array;
    mallard::buffer buffer(array);
    mallard::heap heap;
    mallard::fallback<mallard::buffer&, mallard::heap<>&> memory(buffer, heap);
    void* const in_buffer = memory.allocate(100, 8);
    void* const in_fallback = memory.allocate(200, 8);
    EXPECT_TRUE(buffer.owns(in_buffer));
    EXPECT_FALSE(buffer.owns(in_fallback));
    EXPECT_FALSE(buffer.owns(array.data() + array.size()));
    EXPECT_EQ(memory.try_allocate(SIZE_MAX / 2), nullptr);
    memory.deallocate(in_fallback, 200, 8);
    memory.deallocate(in_buffer, 100, 8);
    EXPECT_EQ(buffer.free_bytes(), array.size());
}

} // namespace

#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/segregate.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace {

using pool_type = mallard::multipool<equipment::ledger>;
using heap_type = mallard::heap<equipment::ledger>;
using both = mallard::segregate<256, pool_type, heap_type>;

static_assert(mallard::local_allocator<both> && mallard::burst_allocator<both>);
static_assert(!mallard::thread_safe<both>);
static_assert(mallard::thread_safe<mallard::segregate<64, mallard::new_delete, mallard::pages>>);
static_assert(!mallard::local_allocator<mallard::segregate<64, mallard::multipool<>, mallard::new_delete>>);

TEST(segregate, asks_by_the_bytes_of_the_request) {
    mallard::segregate<256, mallard::counted<mallard::multipool<>>, mallard::counted<mallard::heap<>>> memory;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{256}}) {
        memory.deallocate(memory.allocate(bytes, 8), bytes, 8);
    }
    EXPECT_EQ(memory.first().counts().allocations, 3U);
    EXPECT_EQ(memory.second().counts().allocations, 0U);
    for (const std::size_t bytes : {std::size_t{257}, std::size_t{100'000}}) {
        memory.deallocate(memory.allocate(bytes, 64), bytes, 64);
    }
    EXPECT_EQ(memory.first().counts().deallocations, 3U);
    EXPECT_EQ(memory.second().counts().allocations, 2U);
    EXPECT_EQ(memory.second().counts().deallocations, 2U);
}

TEST(segregate, may_have_limits_at_the_ends) {
    mallard::segregate<0, mallard::counted<mallard::multipool<>>, mallard::counted<mallard::multipool<>>>
        none;
    static_cast<void>(none.allocate(1));
    EXPECT_EQ(none.second().counts().allocations, 1U);
    mallard::segregate<SIZE_MAX, mallard::counted<mallard::multipool<>>,
                       mallard::counted<mallard::multipool<>>>
        all;
    static_cast<void>(all.allocate(1 << 20));
    EXPECT_EQ(all.first().counts().allocations, 1U);
}

TEST(segregate, releases_both) {
    equipment::ledger source;
    both memory(source, source);
    static_cast<void>(memory.allocate(10));
    static_cast<void>(memory.allocate(1000));
    EXPECT_EQ(memory.stats().chunks, memory.first().stats().chunks + memory.second().stats().chunks);
    EXPECT_GE(memory.stats().chunks, 2U);
    memory.release();
    EXPECT_EQ(source.outstanding(), 0U);
    static_cast<void>(memory.allocate(10));
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(segregate, fails_as_the_mechanism_does) {
    equipment::ledger source;
    both memory(source, source);
    source.fail({.at = 1, .for_ever = true});
    EXPECT_OUT_OF_MEMORY(static_cast<void>(memory.allocate(10)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(memory.allocate(1000)));
    mallard::segregate<64, mallard::heap<>, mallard::heap<>> quiet;
    EXPECT_NE(quiet.try_allocate(10), nullptr);
    EXPECT_EQ(quiet.try_allocate(std::numeric_limits<std::size_t>::max() / 2), nullptr);
}

TEST(segregate, refers_to_mechanisms_elsewhere_and_nests) {
    mallard::counted<mallard::multipool<>> small;
    mallard::counted<mallard::multipool<>> middle;
    mallard::counted<mallard::heap<>> large;
    using upper =
        mallard::segregate<4096, mallard::counted<mallard::multipool<>>&, mallard::counted<mallard::heap<>>&>;
    upper upper_part(middle, large);
    mallard::segregate<64, mallard::counted<mallard::multipool<>>&, upper&> memory(small, upper_part);
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{65}, std::size_t{4096}, std::size_t{4097}}) {
        memory.deallocate(memory.allocate(bytes), bytes);
    }
    EXPECT_EQ(small.counts().allocations, 1U);
    EXPECT_EQ(middle.counts().allocations, 2U);
    EXPECT_EQ(large.counts().deallocations, 1U);
}

} // namespace

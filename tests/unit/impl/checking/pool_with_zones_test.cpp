#include <mallard/adapt/counted.hpp>
#include <mallard/impl/checking/pool_with_zones.hpp>
#include <mallard/local/fixed_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

using mallard::block_size;
using mallard::fixed_pool;
using mallard::checking::room_for_zones_t;

template <class Pool>
std::size_t count_blocks(Pool& pool, std::size_t bytes, std::size_t alignment) {
    std::size_t count = 0;
    while (pool.try_allocate(bytes, alignment) != nullptr) {
        ++count;
    }
    return count;
}

TEST(pool_with_zones, wraps_pools_with_growable_arena) {
    using buffered = fixed_pool<mallard::buffer_arena>;
    EXPECT_TRUE((std::is_same_v<room_for_zones_t<buffered>, buffered>));
    using mechanism =
        mallard::unchecked::fixed_pool<mallard::growing_arena<>, mallard::first_freed, block_size{}>;
    using zoned = mallard::checking::pool_with_zones<mechanism>;
    EXPECT_TRUE((std::is_same_v<room_for_zones_t<fixed_pool<>>, zoned>));
    EXPECT_TRUE((std::is_same_v<room_for_zones_t<mallard::counted<fixed_pool<>>>, mallard::counted<zoned>>));
    EXPECT_TRUE((std::is_same_v<room_for_zones_t<fixed_pool<>&>, fixed_pool<>&>)) << "it is there already";
}

template <class Reuse, std::size_t Bytes, block_size Size>
void expect_as_many_blocks() {
    using pool_type = fixed_pool<mallard::static_arena<Bytes>, Reuse, Size>;
    pool_type plain;
    room_for_zones_t<pool_type> zoned;
    const std::size_t front = mallard::core::front_zone_bytes(Size.alignment);
    EXPECT_EQ(zoned.block_bytes(), plain.block_bytes());
    const std::size_t blocks = count_blocks(plain, Size.bytes, Size.alignment);
    const std::size_t with_zones = count_blocks(zoned, front + Size.bytes + 16, Size.alignment);
    EXPECT_GE(with_zones, blocks) << Bytes << " bytes of " << Size.bytes << " at " << Size.alignment;
    EXPECT_LE(with_zones, blocks + 1) << "an over-aligned array may begin well";
    if (Size.alignment <= mallard::fundamental_alignment) {
        EXPECT_EQ(with_zones, blocks);
    }
}

TEST(pool_with_zones, keeps_number_of_blocks) {
    expect_as_many_blocks<mallard::first_freed, 4096, block_size{24, 8}>();
    expect_as_many_blocks<mallard::last_freed, 100, block_size{12, 4}>();
    expect_as_many_blocks<mallard::last_freed, 64, block_size{1, 1}>();
    expect_as_many_blocks<mallard::last_freed, 4096, block_size{64, 64}>();
    expect_as_many_blocks<mallard::last_freed, 4096, block_size{24, 8}>();
}

TEST(pool_with_zones, fixes_the_size_that_the_pool_would_fix) {
    for (const std::size_t alignment : {1U, 8U, 64U}) {
        for (std::size_t bytes = 0; bytes < 100; ++bytes) {
            fixed_pool<> plain;
            room_for_zones_t<fixed_pool<>> zoned;
            EXPECT_EQ(zoned.block_bytes(), 0U);
            const std::size_t zones = mallard::core::front_zone_bytes(alignment) + 16;
            EXPECT_NE(plain.try_allocate(bytes, alignment), nullptr);
            EXPECT_NE(zoned.try_allocate(zones + bytes, alignment), nullptr);
            const std::size_t block = plain.block_bytes();
            EXPECT_EQ(zoned.block_bytes(), block) << bytes << " at " << alignment;
            EXPECT_NE(zoned.try_allocate(zones + block, alignment), nullptr);
            EXPECT_EQ(zoned.try_allocate(zones + block + 1, alignment), nullptr);
            EXPECT_EQ(zoned.try_allocate(32 + block + 1, 1), nullptr);
        }
    }
}

TEST(pool_with_zones, refuses_impossible_requests) {
    room_for_zones_t<fixed_pool<>> zoned;
    EXPECT_EQ(zoned.try_allocate(std::size_t{2} << 30, 8), nullptr);
    EXPECT_EQ(zoned.try_allocate(PTRDIFF_MAX, 8), nullptr);
    EXPECT_NE(zoned.try_allocate(40, 8), nullptr);
}

} // namespace

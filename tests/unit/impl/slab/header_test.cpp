#include <mallard/impl/slab/header.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace {

TEST(slab_header, is_empty_at_first) {
    alignas(64) std::array<std::byte, 128> room{};
    auto* const slab = ::new (room.data()) mallard::slab::slab_header{};
    EXPECT_EQ(slab->state, mallard::slab::slab_state::exhausted);
    EXPECT_EQ(slab->used, 0U);
    EXPECT_EQ(slab->low, 1U) << "what is empty has to be noticed";
}

TEST(chunk_of_slabs, reserves_first_word_of_first_slab) {
    alignas(64) std::array<std::byte, 64> room{};
    auto* const chunk = ::new (room.data() + mallard::slab::chunk_of_slabs::offset)
        mallard::slab::chunk_of_slabs{nullptr, nullptr, 64, 1, 0, 0};
    EXPECT_EQ(chunk->begin(), room.data());
}

TEST(chunk_policy, defaults_to_one_slab_without_reserve) {
    const mallard::slab::chunk_policy policy;
    EXPECT_EQ(policy.first_slabs, 1U);
    EXPECT_EQ(policy.largest_slabs, 1U);
    EXPECT_EQ(policy.spare_bytes, 0U);
    EXPECT_FALSE(policy.spares_an_eighth);
}

} // namespace

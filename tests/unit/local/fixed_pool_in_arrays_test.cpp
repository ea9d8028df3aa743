// fixed_pool where all of its memory is there from the start: an array, a caller's buffer, one allocation.
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/fixed_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using mallard::block_size;

// ---- bounded arenas

TEST(fixed_pool_in_an_array, serves_exactly_capacity_of_array) {
    mallard::fixed_pool<mallard::static_arena<1000>> pool(block_size{24});
    EXPECT_EQ(pool.capacity(), 41U);
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> blocks;
        while (blocks.size() < 41) {
            blocks.push_back(pool.allocate(24, 8));
        }
        EXPECT_TRUE(pool.empty());
        EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), 41U);
        EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(24, 8)));
        if (round == 1) {
            pool.release();
            continue;
        }
        for (void* p : blocks) {
            pool.deallocate(p, 24, 8);
        }
    }
}

TEST(fixed_pool_in_an_array, refuses_array_smaller_than_block) {
    mallard::fixed_pool<mallard::static_arena<40>> pool;
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(41, 8)));
    EXPECT_EQ(pool.block_bytes(), 0U);
    EXPECT_NE(pool.allocate(40, 8), nullptr) << "what failed has fixed nothing";
}

#ifdef __cpp_exceptions

TEST(fixed_pool_in_an_array, refusal_names_reason) {
    const auto why = [](auto& pool, std::size_t bytes, std::size_t alignment) {
        try {
            static_cast<void>(pool.allocate(bytes, alignment));
        } catch (const mallard::refused_request& refused) {
            return std::string(refused.what());
        } catch (const std::bad_alloc&) {
            return std::string("full");
        }
        return std::string("served");
    };
    mallard::fixed_pool<mallard::static_arena<48>> pool;
    EXPECT_EQ(why(pool, 100, 8),
              "mallard: a request for 100 bytes at alignment 8 is refused: the pool's arena "
              "has no room for one such block; make it larger");
    EXPECT_EQ(why(pool, 24, 8), "served");
    const std::string blocks =
        " is refused: blocks of this pool have 24 bytes at alignment 8; construct the pool "
        "with the block_size of its largest request";
    EXPECT_EQ(why(pool, 25, 8), "mallard: a request for 25 bytes at alignment 8" + blocks);
    EXPECT_EQ(why(pool, 8, 16), "mallard: a request for 8 bytes at alignment 16" + blocks);
    EXPECT_EQ(why(pool, 24, 8), "served");
    EXPECT_EQ(why(pool, 24, 8), "full");
}

#endif

TEST(fixed_pool_in_an_array, lies_in_the_buffer_of_a_caller) {
    alignas(16) std::array<std::byte, 240> buffer{};
    mallard::fixed_pool pool(block_size{24}, std::span<std::byte>(buffer));
    EXPECT_EQ(pool.allocate(24, 8), buffer.data());
    EXPECT_EQ(pool.capacity(), 10U);
}

// ---- without a heap

struct node {
    node* next;
    int value;
};

constinit mallard::fixed_pool_for<node, mallard::static_arena<256>> global_pool;
constinit mallard::fixed_pool<mallard::static_arena<256>, mallard::last_freed> global_by_last_freed;
constinit mallard::fixed_pool<> global_growing(block_size::of<node>());

TEST(fixed_pool_in_static_storage, is_a_constant) {
    node* const n = ::new (global_pool.allocate(sizeof(node), alignof(node))) node{nullptr, 7};
    EXPECT_EQ(global_pool.capacity(), 16U);
    EXPECT_GE(reinterpret_cast<std::uintptr_t>(n), reinterpret_cast<std::uintptr_t>(&global_pool));
    EXPECT_LT(reinterpret_cast<std::uintptr_t>(n), reinterpret_cast<std::uintptr_t>(&global_pool + 1));
    global_pool.deallocate(n, sizeof(node), alignof(node));
    EXPECT_NE(global_by_last_freed.allocate(16, 8), nullptr);
    EXPECT_NE(global_growing.allocate(16, 8), nullptr);
    EXPECT_TRUE(mallard::core::poisons_memory || std::is_trivially_destructible_v<decltype(global_pool)>);
}

} // namespace

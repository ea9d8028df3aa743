// The reports of an unoptimised build's contract checks. In an optimised build they cost nothing and report nothing.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <utility>

namespace {

#ifdef NDEBUG

TEST(contract_checks, are_off) {
    mallard::monotonic<> arena;
    EXPECT_NE(arena.allocate(1, 8), nullptr);
    mallard::fixed_pool<> pool;
    void* const p = pool.allocate(24, 8);
    pool.deallocate(p, 32, 8); // larger than any block, and not checked
    EXPECT_EQ(pool.allocate(24, 8), p);
}

#else

const char* const broken = "a caller broke the contract";

#ifdef __cpp_rtti
struct node {
    virtual ~node() = default;
};
struct leaf final : node {
    long value = 0;
};

TEST(contract_checks, find_an_object_destroyed_by_its_base) {
    mallard::multipool<> pool;
    node* const made = mallard::make<leaf>(pool);
    EXPECT_DEATH(mallard::destroy(pool, made), broken);
    mallard::destroy(pool, static_cast<leaf*>(made));
}
#endif

TEST(contract_checks, find_a_mark_of_another_life) {
    mallard::monotonic<> arena;
    static_cast<void>(arena.allocate(24, 8));
    const auto mark = arena.mark();
    arena.release();
    EXPECT_DEATH(arena.rollback(mark), broken);
}

TEST(contract_checks, find_elements_that_an_array_lacks) {
    mallard::monotonic<> arena;
    auto numbers = mallard::make_array_builder<int>(arena);
    EXPECT_DEATH(numbers.pop_back(), broken);
    numbers.push_back(1);
    EXPECT_EQ(numbers[0], 1);
    EXPECT_DEATH(static_cast<void>(numbers[1]), broken);
    EXPECT_DEATH(static_cast<void>(std::as_const(numbers)[1]), broken);
}

TEST(contract_checks, find_a_root_outside_of_its_region) {
    alignas(16) std::array<std::byte, 16384> region;
    mallard::region_heap& heap = mallard::region_heap::create_in(region);
    int outside = 0;
    EXPECT_DEATH(heap.set_root("outside", &outside), broken);
    heap.give_up();
}

#endif

} // namespace

#include "equipment/ledger.hpp"

#include <mallard/bind/resource.hpp>
#include <mallard/lifetime/object_arena.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using arena_type = mallard::object_arena<mallard::monotonic<equipment::ledger>>;

/// Notes its number when it ends.
struct witness {
    witness(std::vector<int>& to, int n) noexcept : ended(&to), number(n) {}
    witness(witness&& from) noexcept : ended(std::exchange(from.ended, nullptr)), number(from.number) {}
    ~witness() {
        if (ended != nullptr) {
            ended->push_back(number);
        }
    }
    std::vector<int>* ended;
    int number;
};

TEST(object_arena, destroys_the_newest_object_first) {
    equipment::ledger source;
    std::vector<int> ended;
    {
        arena_type arena(source);
        const witness* const first = arena.make<witness>(ended, 1);
        const witness& second = arena.own(witness(ended, 2));
        EXPECT_EQ(first->number, 1);
        EXPECT_EQ(second.number, 2);
        arena.rewind();
        EXPECT_EQ(ended, (std::vector{2, 1}));
        static_cast<void>(arena.make<witness>(ended, 3));
        arena.release();
        EXPECT_EQ(source.outstanding(), 0U);
        static_cast<void>(arena.make<witness>(ended, 4));
    }
    EXPECT_EQ(ended, (std::vector{2, 1, 3, 4}));
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(object_arena, moves_without_its_objects) {
    equipment::ledger source;
    std::vector<int> ended;
    arena_type moved = [&] {
        arena_type arena(source);
        witness* const object = arena.make<witness>(ended, 1);
        auto* const mechanism = &arena.mechanism();
        arena_type target = std::move(arena);
        EXPECT_EQ(&target.mechanism(), mechanism);
        EXPECT_EQ(object->number, 1);
        return target;
    }();
    EXPECT_TRUE(ended.empty());
    arena_type second(source);
    static_cast<void>(second.make<witness>(ended, 2));
    second = std::move(moved);
    EXPECT_EQ(ended, (std::vector{2})) << "the objects of the target end";
    static_assert(!std::is_copy_constructible_v<arena_type> &&
                  std::is_nothrow_move_constructible_v<arena_type>);
    static_assert(sizeof(arena_type) == sizeof(void*));
}

TEST(object_arena, trivial_objects_cost_their_size) {
    equipment::ledger source;
    arena_type arena(4096U, source);
    const std::array<int, 4>& first = arena.own(std::array{1, 2, 3, 4});
    const std::array<int, 4>& second = arena.own(std::array{5, 6, 7, 8});
    EXPECT_EQ(second[0], 5);
#if !MALLARD_CHECKED
    EXPECT_EQ(&second - &first, 1);
#else
    EXPECT_NE(&second, &first);
#endif
}

TEST(object_arena, hands_the_allocator_down) {
    const char* const text = "longer than any string that fits into its own object";
    mallard::object_arena<mallard::resource<mallard::monotonic<>>> arena;
    const auto* const names = arena.make<std::pmr::vector<std::pmr::string>>(2U, text);
    EXPECT_EQ(names->at(1), text);
    EXPECT_EQ(names->at(1).get_allocator().resource(), &arena.mechanism());
    EXPECT_TRUE(arena.mechanism().owns(names->at(1).data()));
}

TEST(object_arena, deduces_its_mechanism) {
    equipment::ledger source;
    static_assert(
        std::is_same_v<decltype(mallard::object_arena()), mallard::object_arena<mallard::monotonic<>>>);
    static_assert(std::is_same_v<decltype(mallard::object_arena(1 << 16)), mallard::object_arena<>>);
    static_assert(std::is_same_v<decltype(mallard::object_arena(source)), arena_type>);
    mallard::object_arena<mallard::multipool<>> of_pool;
    EXPECT_EQ(of_pool.own(std::string("text")), "text");
    const mallard::object_arena arena(1 << 16);
    static_cast<void>(arena.mechanism().allocate(1));
    EXPECT_GE(arena.mechanism().stats().chunk_bytes, 1U << 16);
}

#ifdef __cpp_exceptions
TEST(object_arena, a_throwing_constructor_leaves_no_object) {
    struct throwing_constructor {
        explicit throwing_constructor(int) { throw std::runtime_error("no object"); }
        ~throwing_constructor() { ADD_FAILURE(); } // NOLINT(modernize-use-equals-default)
    };
    equipment::ledger source;
    arena_type arena(source);
    const std::size_t before = arena.mechanism().bytes_in_use();
    EXPECT_THROW(static_cast<void>(arena.make<throwing_constructor>(1)), std::runtime_error);
    const std::size_t after = arena.mechanism().bytes_in_use();
    EXPECT_THROW(static_cast<void>(arena.make<throwing_constructor>(1)), std::runtime_error);
    EXPECT_EQ(arena.mechanism().bytes_in_use(), after) << "the room goes back";
    EXPECT_EQ(before, 0U);
}
#endif

} // namespace

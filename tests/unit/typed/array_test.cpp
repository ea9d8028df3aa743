#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/typed/array.hpp>
#include <mallard/typed/make.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

namespace {

using mallard::make_array;
using memory = equipment::ledger;

/// Counts the objects that live; the one with the number `fails_at` cannot be made.
struct fragile {
    static inline int living = 0;
    [[maybe_unused]] static inline int fails_at = -1; // not used without exceptions

    fragile() {
#ifdef __cpp_exceptions
        if (living == fails_at) {
            throw std::runtime_error("no object");
        }
#endif
        ++living;
    }
    fragile(const fragile&) = delete;
    fragile& operator=(const fragile&) = delete;
    ~fragile() { --living; }

    int value = 9;
};

TEST(make_array, makes_elements_of_zeros) {
    memory source;
    const std::span<int> all = make_array<int>(source, 100);
    EXPECT_EQ(all.size(), 100U);
    EXPECT_EQ(source.outstanding_bytes(), 400U);
    for (const int element : all) {
        EXPECT_EQ(element, 0);
    }
    mallard::destroy_array(source, all);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(make_array, calls_constructors_and_destructors) {
    memory source;
    const auto all = make_array<fragile>(source, 5);
    EXPECT_EQ(fragile::living, 5);
    EXPECT_EQ(all[4].value, 9);
    mallard::destroy_array(source, all);
    EXPECT_EQ(fragile::living, 0);
}

TEST(make_array, takes_no_memory_for_no_elements) {
    memory source;
    const auto none = make_array<std::string>(source, 0);
    EXPECT_TRUE(none.empty());
    EXPECT_TRUE(source.granted().empty());
    mallard::destroy_array(source, none);
    const std::span<int> no_room = mallard::allocate_array<int>(source, 0);
    EXPECT_EQ(no_room.data(), nullptr);
    mallard::deallocate_array(source, no_room);
}

#ifdef __cpp_exceptions
TEST(make_array, frees_memory_when_element_construction_throws) {
    memory source;
    fragile::fails_at = 3;
    EXPECT_THROW(static_cast<void>(make_array<fragile>(source, 5)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(mallard::make_unique<fragile[]>(source, 5)), std::runtime_error);
    fragile::fails_at = -1;
    EXPECT_EQ(fragile::living, 0);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(make_array, gives_the_room_back_to_an_arena) {
    memory source;
    mallard::monotonic arena(source);
    fragile::fails_at = 3;
    static_cast<void>(arena.allocate(1, 8));
    for (std::size_t count = 4; count != 100; ++count) {
        EXPECT_THROW(static_cast<void>(make_array<fragile>(arena, count)), std::runtime_error);
        EXPECT_THROW(static_cast<void>(mallard::make_unique<fragile[]>(arena, count)), std::runtime_error);
    }
    fragile::fails_at = -1;
    EXPECT_LE(source.outstanding_bytes(), 1024U);
}

TEST(allocate_array, refuses_lengths_that_no_memory_could_hold) {
    memory source;
    for (const std::size_t count :
         {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 2, PTRDIFF_MAX / sizeof(double) + 1}) {
        EXPECT_THROW(static_cast<void>(mallard::allocate_array<double>(source, count)),
                     std::bad_array_new_length)
            << count;
        EXPECT_THROW(static_cast<void>(make_array<double>(source, count)), std::bad_array_new_length)
            << count;
    }
    EXPECT_TRUE(source.granted().empty());
}
#endif

TEST(allocate_array, gives_room_for_objects) {
    mallard::multipool pool;
    const std::span<std::string> room = mallard::allocate_array<std::string>(pool, 3);
    EXPECT_EQ(room.size(), 3U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.data()) % alignof(std::string), 0U);
    std::string* const third = ::new (static_cast<void*>(room.data() + 2)) std::string("the third");
    EXPECT_EQ(*third, "the third");
    std::destroy_at(third);
    mallard::deallocate_array(pool, room);
}

TEST(unique_arrays, destroy_and_free) {
    memory source;
    {
        const auto all = mallard::make_unique<fragile[]>(source, 4);
        EXPECT_EQ(fragile::living, 4);
        EXPECT_EQ(all[3].value, 9);
        EXPECT_EQ(all.get_deleter().count(), 4U);
    }
    EXPECT_EQ(fragile::living, 0);
    EXPECT_EQ(source.outstanding(), 0U);
    mallard::unique_ptr<int[], memory> none;
    EXPECT_EQ(none, nullptr);
}

} // namespace

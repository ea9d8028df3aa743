#include "equipment/ledger.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/typed/make.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using mallard::make;
using mallard::make_unique;

constexpr const char* text = "longer than any string that fits into its own object";

/// Counts the objects that live.
struct counted_object {
    static inline int living = 0;

    explicit counted_object(int number = 0) : value(number) { ++living; }
    counted_object(const counted_object&) = delete;
    counted_object& operator=(const counted_object&) = delete;
    ~counted_object() { --living; }

    int value;
};

struct throwing_constructor {
    throwing_constructor() {
#ifdef __cpp_exceptions
        throw std::runtime_error("no object");
#endif
    }
};

using memory = equipment::ledger;

TEST(make, makes_an_object_in_memory_of_the_allocator) {
    memory source;
    counted_object* const object = make<counted_object>(source, 42);
    EXPECT_EQ(object->value, 42);
    EXPECT_EQ(counted_object::living, 1);
    ASSERT_EQ(source.outstanding(), 1U);
    EXPECT_EQ(source.outstanding_bytes(), sizeof(counted_object));
    mallard::destroy(source, object);
    EXPECT_EQ(counted_object::living, 0);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(make, hands_the_allocator_down) {
    using name = std::basic_string<char, std::char_traits<char>, mallard::allocator<char, memory>>;
    memory source;
    name* const object = make<name>(source, text);
    EXPECT_EQ(*object, text);
    EXPECT_EQ(source.outstanding(), 2U) << "the string and its characters";
    mallard::destroy(source, object);
    EXPECT_EQ(source.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TEST(make, frees_memory_when_construction_throws) {
    memory source;
    EXPECT_THROW(static_cast<void>(make<throwing_constructor>(source)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(make_unique<throwing_constructor>(source)), std::runtime_error);
    EXPECT_EQ(source.outstanding(), 0U);
}

/// An object that has no room besides others in a small chunk.
struct large_throwing_constructor {
    explicit large_throwing_constructor(int) { throw std::runtime_error("no object"); }
    std::array<std::byte, 1000> room;
};

TEST(make, gives_the_room_back_to_an_arena) {
    memory source;
    mallard::monotonic arena(source, {.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 256}});
    mallard::counted<decltype(arena)&> counted(arena);
    mallard::resource resource(arena);
    mallard::inline_resource& base = resource;
    void* const first = arena.allocate(1, 8);
    for (int i = 0; i < 100; ++i) {
        EXPECT_THROW(static_cast<void>(make<throwing_constructor>(arena)), std::runtime_error);
        EXPECT_THROW(static_cast<void>(make_unique<throwing_constructor>(counted)), std::runtime_error);
        EXPECT_THROW(static_cast<void>(make<throwing_constructor>(resource)), std::runtime_error);
        EXPECT_THROW(static_cast<void>(make<throwing_constructor>(base)), std::runtime_error);
        EXPECT_THROW(static_cast<void>(make<large_throwing_constructor>(arena, i)), std::runtime_error);
    }
    EXPECT_EQ(arena.allocate(1, 8), static_cast<std::byte*>(first) + 8);
    EXPECT_LE(source.outstanding_bytes(), 256U + 1024U);
    EXPECT_EQ(counted.counts().deallocations, 100U);
    EXPECT_EQ(counted.bytes_in_use(), 0U);
}
#endif

TEST(make_unique, destroys_and_frees) {
    memory source;
    {
        const auto object = make_unique<counted_object>(source, 5);
        EXPECT_EQ(object->value, 5);
        EXPECT_EQ(counted_object::living, 1);
        EXPECT_EQ(source.outstanding(), 1U);
    }
    EXPECT_EQ(counted_object::living, 0);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(make_unique, moves_and_is_null_by_default) {
    memory source;
    struct holder {
        mallard::unique_ptr<counted_object, memory> object;
    };
    holder a;
    EXPECT_EQ(a.object, nullptr);
    a.object = make_unique<counted_object>(source, 1);
    holder b = std::move(a);
    EXPECT_EQ(a.object, nullptr);
    b.object = make_unique<counted_object>(source, 2);
    EXPECT_EQ(counted_object::living, 1) << "the first is destroyed";
    b.object.reset();
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(make_unique, is_pointer_sized_for_stateless_allocator) {
    EXPECT_EQ(sizeof(mallard::unique_ptr<int, mallard::new_delete>), sizeof(int*));
    EXPECT_EQ(sizeof(mallard::unique_ptr<int, memory>), 2 * sizeof(int*));
    mallard::new_delete global;
    EXPECT_EQ(*make_unique<int>(global, 3), 3);
}

struct base_class {
    int number = 0;
};
struct derived_class : base_class {
    int second = 0;
};

/// The memory of a derived object would go back with the bytes of its base.
static_assert(!std::is_convertible_v<mallard::unique_ptr<derived_class, memory>,
                                     mallard::unique_ptr<base_class, memory>>);

TEST(make_unique, converts_to_an_owner_of_the_base) {
    struct other_base {
        virtual ~other_base() = default;
        int word = 1;
    };
    struct both final : other_base, counted_object {
        explicit both(int number) : counted_object(number) {}
        std::array<int, 20> more{};
    };
    memory source;
    {
        mallard::unique_base_ptr<counted_object, memory> object = make_unique<both>(source, 8);
        EXPECT_EQ(object->value, 8) << "the base does not lie at the begin of the object";
        EXPECT_EQ(source.outstanding_bytes(), sizeof(both));
        mallard::unique_base_ptr<counted_object, memory> moved = std::move(object);
        moved = make_unique<counted_object>(source, 9);
        EXPECT_EQ(counted_object::living, 1);
        EXPECT_EQ(source.outstanding_bytes(), sizeof(counted_object));
    }
    EXPECT_EQ(counted_object::living, 0);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
    static_assert(!std::is_convertible_v<mallard::unique_ptr<base_class, memory>,
                                         mallard::unique_base_ptr<derived_class, memory>>);
    struct over_virtual_base : virtual base_class {};
    static_assert(!std::is_convertible_v<mallard::unique_ptr<over_virtual_base, memory>,
                                         mallard::unique_base_ptr<base_class, memory>>);
}

} // namespace

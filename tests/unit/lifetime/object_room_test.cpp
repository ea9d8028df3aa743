#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/lifetime/object_room.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using mallard::lifetime::allocator_for_t;
using mallard::lifetime::object_room;

using pool_type = mallard::multipool<equipment::ledger>;

template <class T>
using by_type = mallard::allocator<T, pool_type>;
template <class T>
using by_base = mallard::inline_allocator<T>;

static_assert(std::is_same_v<allocator_for_t<int, pool_type>, by_type<std::byte>>);
static_assert(std::is_same_v<allocator_for_t<std::vector<int, by_type<int>>, pool_type>, by_type<std::byte>>);
static_assert(std::is_same_v<allocator_for_t<std::pmr::string, std::pmr::memory_resource>,
                             std::pmr::polymorphic_allocator<std::byte>>);
static_assert(std::is_same_v<allocator_for_t<std::vector<int, by_base<int>>, mallard::inline_resource>,
                             by_base<std::byte>>);
static_assert(std::is_same_v<allocator_for_t<std::vector<int, by_base<int>>, mallard::resource<pool_type>>,
                             by_base<std::byte>>);

struct throwing {
    throwing() {
#ifdef __cpp_exceptions
        throw 1;
#endif
    }
};

TEST(object_room, returns_unused_room) {
    equipment::ledger source;
    {
        const object_room<long, equipment::ledger> unused(source);
        EXPECT_EQ(source.outstanding(), 1U);
    }
    EXPECT_EQ(source.outstanding(), 0U);
    long& object = object_room<long, equipment::ledger>(source).make(7L);
    EXPECT_EQ(object, 7);
    EXPECT_EQ(source.outstanding(), 1U);
    source.deallocate(&object, sizeof(long), alignof(long));
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

#ifdef __cpp_exceptions
TEST(object_room, goes_back_if_the_constructor_throws) {
    equipment::ledger source;
    EXPECT_THROW((object_room<throwing, equipment::ledger>(source).make()), int);
    EXPECT_EQ(source.outstanding(), 0U);
}
#endif

TEST(object_room, hands_the_allocator_on) {
    equipment::ledger source;
    pool_type pool(source);
    using strings = std::vector<std::basic_string<char, std::char_traits<char>, by_type<char>>,
                                by_type<std::basic_string<char, std::char_traits<char>, by_type<char>>>>;
    strings& object = object_room<strings, pool_type>(pool).make();
    object.emplace_back("a text that is too long for the string itself");
    EXPECT_EQ(&object.front().get_allocator().mechanism(), &pool);
    std::destroy_at(&object);
}

} // namespace

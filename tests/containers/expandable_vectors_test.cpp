// Vectors, strings and flat containers of Boost over a mallard heap: they grow and shrink in place.
#include "equipment/boost_containers.hpp"
#include "equipment/my_int.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/failing.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/expandable_allocator.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/region_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace {

#if EQUIPMENT_HAS_BOOST

namespace bc = boost::container;
using equipment::my_int;
using mallard::expansion;
using heap = mallard::counted<mallard::heap<>>;
template <class T, mallard::capability_mask Masked = expansion::none, class A = heap>
using alloc = mallard::expandable_allocator<T, A, Masked>;
template <class T, mallard::capability_mask Masked = expansion::none, class A = heap>
using vector = bc::vector<T, alloc<T, Masked, A>>;
using string = bc::basic_string<char, std::char_traits<char>, alloc<char>>;

constexpr std::string_view text = "longer than any string that fits into its own object";

/// Returns: true if every block was freed, and the heap's words and links are sound.
::testing::AssertionResult is_empty_and_sound(const heap& h) {
    const mallard::heap_sanity sanity = h.mechanism().check_sanity();
    if (!sanity.sound()) {
        return ::testing::AssertionFailure() << sanity.defect;
    }
    if (h.mechanism().use().used_blocks != 0 || h.counts().bytes_in_use != 0) {
        return ::testing::AssertionFailure() << h.mechanism().use().used_blocks << " blocks are left";
    }
    return ::testing::AssertionSuccess();
}

TEST(expandable_allocator_in_vectors, is_recognised_as_version_two) {
    EXPECT_EQ(unsigned{bc::dtl::version<alloc<int>>::value}, 2U);
    EXPECT_EQ(mallard::command_bits::allocate_new, bc::allocate_new);
    EXPECT_EQ(mallard::command_bits::expand_forward, bc::expand_fwd);
    EXPECT_EQ(mallard::command_bits::expand_backward, bc::expand_bwd);
    EXPECT_EQ(mallard::command_bits::shrink_in_place, bc::shrink_in_place);
    EXPECT_EQ(mallard::command_bits::nothrow_allocation, bc::nothrow_allocation);
    EXPECT_EQ(mallard::command_bits::try_shrink_in_place, bc::try_shrink_in_place);
}

template <class T>
class expandable_allocator_vectors : public ::testing::Test {};
#if MALLARD_THOROUGH
using numbers = ::testing::Types<int, my_int>;
#else
using numbers = ::testing::Types<my_int>;
#endif
TYPED_TEST_SUITE(expandable_allocator_vectors, numbers);

TYPED_TEST(expandable_allocator_vectors, a_vector_grows_forward) {
    heap h;
    {
        vector<TypeParam> v{alloc<TypeParam>(h)};
        v.push_back(TypeParam(0));
        const TypeParam* const data = v.data();
        for (int i = 1; i != 100; ++i) {
            v.push_back(TypeParam(i));
        }
        EXPECT_EQ(v.data(), data) << "where it was";
        EXPECT_EQ(h.counts().allocations, 1U);
        EXPECT_GE(h.counts().grown_forward, 2U);
        for (int i = 0; i != 100; ++i) {
            ASSERT_EQ(v[static_cast<std::size_t>(i)], TypeParam(i));
        }
    }
    EXPECT_TRUE(is_empty_and_sound(h));
    EXPECT_EQ(my_int::living, 0);
}

TYPED_TEST(expandable_allocator_vectors, large_vector_grows_in_place) {
    heap h;
    {
        vector<TypeParam> v{alloc<TypeParam>(h)};
        v.reserve(std::size_t{1} << 17);
        const TypeParam* const data = v.data();
        for (int i = 0; i != 1 << 20; ++i) {
            v.push_back(TypeParam(i));
        }
        EXPECT_EQ(v.data(), data);
        EXPECT_EQ(h.counts().allocations, 1U);
        EXPECT_EQ(v.back(), TypeParam((1 << 20) - 1));
        EXPECT_EQ(v[1 << 16], TypeParam(1 << 16));
    }
    EXPECT_TRUE(is_empty_and_sound(h));
}

/// A vector between a block that was freed and one that was not: there is room in front of it only.
template <class V>
void grow_with_room_in_front(heap& h) {
    using value = typename V::value_type;
    void* const front = h.allocate(1000, 8);
    V v{typename V::allocator_type(h)};
    v.reserve(30);
    void* const behind = h.allocate(30 * sizeof(value), 8);
    ASSERT_LT(front, static_cast<void*>(v.data()));
    ASSERT_LT(static_cast<void*>(v.data()), behind);
    for (int i = 0; v.size() != v.capacity(); ++i) {
        v.push_back(value(i));
    }
    h.deallocate(front, 1000, 8);
    const std::size_t size = v.size();
    v.push_back(value(-1));
    for (std::size_t i = 0; i != size; ++i) {
        ASSERT_EQ(v[i], value(static_cast<int>(i)));
    }
    EXPECT_EQ(v.back(), value(-1));
    EXPECT_GT(v.capacity(), size);
    h.deallocate(behind, 30 * sizeof(value), 8);
}

TYPED_TEST(expandable_allocator_vectors, a_vector_grows_backward) {
    heap h;
    grow_with_room_in_front<vector<TypeParam>>(h);
    EXPECT_EQ(h.counts().grown_backward, 1U);
    EXPECT_EQ(h.counts().allocations, 3U) << "the two around it, and its first";
    EXPECT_TRUE(is_empty_and_sound(h));
}

TYPED_TEST(expandable_allocator_vectors, no_vector_grows_where_that_is_masked) {
    heap h;
    grow_with_room_in_front<vector<TypeParam, expansion::backward>>(h);
    EXPECT_EQ(h.counts().grown_backward, 0U);
    EXPECT_EQ(h.counts().allocations, 4U);
    EXPECT_TRUE(is_empty_and_sound(h));

    heap forward;
    vector<TypeParam, expansion::forward> v{alloc<TypeParam, expansion::forward>(forward)};
    vector<TypeParam, expansion::in_place> w{alloc<TypeParam, expansion::in_place>(forward)};
    for (int i = 0; i != 1000; ++i) {
        v.push_back(TypeParam(i));
        w.push_back(TypeParam(i));
    }
    EXPECT_EQ(forward.counts().grown_forward, 0U);
    EXPECT_GT(forward.counts().allocations, 5U);
    EXPECT_TRUE(std::ranges::equal(v, w));
}

TYPED_TEST(expandable_allocator_vectors, vector_shrinks_in_place) {
    heap h;
    {
        vector<TypeParam> v(10000, TypeParam(7), alloc<TypeParam>(h));
        vector<TypeParam, mallard::no_shrinking> kept(1000, TypeParam(7),
                                                      alloc<TypeParam, mallard::no_shrinking>(h));
        const TypeParam* const data = v.data();
        const std::size_t in_use = h.counts().bytes_in_use;
        v.resize(100);
        v.shrink_to_fit();
        EXPECT_EQ(v.data(), data);
        EXPECT_LT(v.capacity(), 110U);
        EXPECT_EQ(h.counts().shrunk, 1U);
        EXPECT_EQ(h.counts().allocations, 2U);
        EXPECT_LT(h.counts().bytes_in_use, in_use - 9800 * sizeof(TypeParam));
        EXPECT_EQ(v, vector<TypeParam>(100, TypeParam(7), alloc<TypeParam>(h)));

        kept.resize(10);
        kept.shrink_to_fit();
        EXPECT_GE(kept.capacity(), 1000U) << "as its mask says";
        EXPECT_EQ(h.counts().shrunk, 1U);
        v.clear();
        v.shrink_to_fit();
        EXPECT_EQ(v.capacity(), 0U);
    }
    EXPECT_TRUE(is_empty_and_sound(h));
}

TEST(expandable_allocator_in_vectors, probes_room_without_exceptions) {
    heap h;
    vector<int> v{alloc<int>(h)};
    v.reserve(10);
    void* const behind = h.allocate(48, 8);
    v.resize(v.capacity());
    EXPECT_FALSE(v.stable_emplace_back(1));
    EXPECT_EQ(v.size(), v.capacity());
    h.deallocate(behind, 48, 8);
    EXPECT_TRUE(v.stable_emplace_back(1));
    EXPECT_EQ(v.back(), 1);
}

TEST(expandable_allocator_in_vectors, string_grows_and_shrinks_in_place) {
    heap h;
    {
        string s(text.data(), text.size(), alloc<char>(h));
        const char* const data = s.data();
        for (int i = 0; i != 20; ++i) {
            s.append(text.data(), text.size());
        }
        EXPECT_EQ(s.data(), data);
        EXPECT_EQ(h.counts().allocations, 1U);
        EXPECT_GE(h.counts().grown_forward, 2U);
        s.resize(100);
#if BOOST_VERSION < 109100 // those since then do not compile
        s.shrink_to_fit();
        EXPECT_EQ(h.counts().shrunk, 1U);
        EXPECT_LT(s.capacity(), 130U);
#endif
        EXPECT_EQ(s.data(), data);
        EXPECT_EQ(std::string_view(s.data(), text.size()), text);
    }
    EXPECT_TRUE(is_empty_and_sound(h));
}

TEST(expandable_allocator_in_vectors, flat_containers_grow_where_they_are) {
    heap h;
    {
        bc::flat_map<int, my_int, std::less<>, alloc<std::pair<int, my_int>>> map{
            alloc<std::pair<int, my_int>>(h)};
        for (int i = 0; i != 200; ++i) {
            map.emplace(i * 7 % 200, my_int(i));
        }
        EXPECT_EQ(h.counts().allocations, 1U);
        EXPECT_GE(h.counts().grown_forward, 2U);
        EXPECT_EQ(map.at(21), my_int(3));
        EXPECT_EQ(map.size(), 200U);
        map.erase(map.begin() + 5, map.end());
        map.shrink_to_fit();
        EXPECT_EQ(h.counts().shrunk, 1U);
        EXPECT_EQ(map.at(0), my_int(0));
    }
    EXPECT_TRUE(is_empty_and_sound(h));
    EXPECT_EQ(my_int::living, 0);
}

TEST(expandable_allocator_in_vectors, copies_moves_and_swaps_as_the_polymorphic_one) {
    heap a;
    heap b;
    vector<string> in_a{alloc<string>(a)};
    in_a.emplace_back(text.data());
    EXPECT_EQ(&in_a[0].get_allocator().mechanism(), &a) << "elements are made with it";
    vector<string> copy(in_a);
    EXPECT_EQ(&copy.get_allocator().mechanism(), &a);
    vector<string> in_b{alloc<string>(b)};
    in_b = in_a;
    EXPECT_EQ(&in_b.get_allocator().mechanism(), &b);
    EXPECT_EQ(&in_b[0].get_allocator().mechanism(), &b);
    vector<string> moved_to_b(std::move(in_a), alloc<string>(b));
    EXPECT_EQ(&moved_to_b[0].get_allocator().mechanism(), &b);
    const string* const data = copy.data();
    vector<string> moved(std::move(copy));
    EXPECT_EQ(moved.data(), data);
    in_b.swap(moved_to_b);
    EXPECT_EQ(std::string_view(in_b[0].data(), in_b[0].size()), text);
}

TEST(expandable_allocator_in_vectors, works_over_any_heap) {
    mallard::synchronized<mallard::heap<>> shared;
    vector<int, expansion::none, decltype(shared)> in_shared{shared};
    const auto memory = std::make_unique<std::byte[]>(16384);
    auto& region = mallard::region_heap::create_in({memory.get(), 16384});
    vector<int, expansion::none, mallard::region_heap> in_region{region};
    for (int i = 0; i != 1000; ++i) {
        in_shared.push_back(i);
        in_region.push_back(i);
    }
    EXPECT_TRUE(std::ranges::equal(in_shared, in_region));
    {
        mallard::checked<mallard::heap<>> watched; // reports and aborts where a container misuses it
        vector<int, expansion::none, decltype(watched)> in_watched(in_region.begin(), in_region.end(),
                                                                   watched);
        for (int i = 0; i != 1000; ++i) {
            in_watched.insert(in_watched.begin() + i, i);
        }
        in_watched.resize(10);
        in_watched.shrink_to_fit();
        const bc::list<int, alloc<int, expansion::none, decltype(watched)>> list(in_watched.begin(),
                                                                                 in_watched.end(), watched);
        EXPECT_TRUE(std::ranges::equal(list, in_watched));
    }
    EXPECT_EQ(shared.use().used_blocks, 1U);
    EXPECT_TRUE(shared.check_sanity().sound());
    in_region.resize(100);
    in_region.shrink_to_fit();
    EXPECT_LT(region.use().used_bytes, 500U);
}

#ifdef __cpp_exceptions

TEST(expandable_allocator_in_vectors, vector_keeps_contents_when_growth_fails) {
    mallard::failing<heap> source(mallard::failure_plan{.at = 0});
    {
        using failing_vector = vector<my_int, expansion::none, decltype(source)>;
        failing_vector v{source};
        std::size_t failures = 0;
        for (int i = 0; i != 1000;) {
            source.plan({.at = failures % 2 == 0 ? 1U : 0U});
            const std::size_t capacity = v.capacity();
            try {
                v.push_back(my_int(i));
                ++i;
                failures += source.requests() != 0 ? 1U : 0U;
            } catch (const std::bad_alloc&) {
                ++failures;
                ASSERT_EQ(v.size(), static_cast<std::size_t>(i));
                ASSERT_EQ(v.capacity(), capacity);
            }
        }
        EXPECT_GE(failures, 10U);
        for (int i = 0; i != 1000; ++i) {
            ASSERT_EQ(v[static_cast<std::size_t>(i)], my_int(i));
        }
        EXPECT_THROW(v.reserve(v.max_size()), std::bad_alloc);
        EXPECT_THROW(v.reserve(v.max_size() + 1), std::bad_alloc);
        EXPECT_EQ(v.size(), 1000U);
    }
    EXPECT_TRUE(is_empty_and_sound(source.mechanism()));
    EXPECT_EQ(my_int::living, 0);
}

#endif

#else

TEST(expandable_allocator_in_vectors, needs_boost) {
    GTEST_SKIP() << EQUIPMENT_SAYS_THAT_BOOST_IS_MISSING;
}

#endif

} // namespace

#include "equipment/out_of_memory.hpp"

#include <mallard/bind/allocator.hpp>
#include <mallard/bind/inline_resource.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/upstream/buffer.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <scoped_allocator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using arena = mallard::monotonic<>;
template <class T>
using alloc = mallard::allocator<T, arena>;
template <class T>
using vector = std::vector<T, alloc<T>>;
using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

constexpr std::string_view text = "longer than any string that fits into its own object";

TEST(allocator, is_one_pointer) {
    EXPECT_EQ(sizeof(alloc<int>), sizeof(void*));
    EXPECT_TRUE(std::is_trivially_copyable_v<alloc<int>>);
}

TEST(allocator, equals_when_mechanism_is_identical) {
    arena a;
    arena b;
    const alloc<int> of_a(a);
    EXPECT_TRUE(of_a == alloc<int>(a));
    EXPECT_TRUE(of_a == alloc<double>(a)) << "whatever the type";
    EXPECT_TRUE(of_a != alloc<int>(b));
    EXPECT_EQ(&of_a.mechanism(), &a);
}

// A clang++ declares it, for the default arguments of libstdc++'s strings.
#if !defined(__clang__) || !defined(_GLIBCXX_RELEASE)
static_assert(!std::is_default_constructible_v<alloc<int>>, "a mechanism with state has no default");
#endif

TEST(allocator, makes_strings_in_containers_from_other_types) {
    arena a;
    std::vector<string, std::scoped_allocator_adaptor<alloc<string>>> scoped(a);
    scoped.emplace_back(text);
    EXPECT_EQ(scoped.back(), text);
    scoped.emplace_back("short");
    EXPECT_EQ(scoped.back(), "short");
    std::map<string, int, std::less<>, alloc<std::pair<const string, int>>> map(a);
    map.emplace(std::piecewise_construct, std::forward_as_tuple(text, a), std::forward_as_tuple(1));
    EXPECT_EQ(map.count(text), 1);
    const std::pair<string, int> pair(string(text, a), 1);
    EXPECT_EQ(pair.first, text);
}

TEST(allocator, default_constructs_to_the_global_allocator) {
    mallard::allocator<int, mallard::new_delete> stateless;
    stateless.deallocate(stateless.allocate(3), 3);
    const mallard::inline_allocator<int> through_base;
    EXPECT_EQ(&through_base.mechanism(), mallard::new_delete_resource());

    using inline_string = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;
    std::tuple<inline_string, int> pair;
    std::get<0>(pair) = text;
    EXPECT_EQ(std::get<0>(pair), text);
    std::match_results<const char*, mallard::inline_allocator<std::sub_match<const char*>>> matches;
    EXPECT_TRUE(std::regex_search(text.data(), matches, std::regex("[a-z]+ than")));
    EXPECT_EQ(matches.str(), "longer than");
}

TEST(allocator, tries_to_allocate) {
    std::byte memory[256];
    mallard::buffer buffer(memory);
    mallard::allocator<int, mallard::buffer> ints(buffer);
    EXPECT_NE(ints.try_allocate(10), nullptr);
    EXPECT_EQ(ints.try_allocate(100), nullptr);
    EXPECT_EQ(ints.try_allocate(SIZE_MAX / 2), nullptr) << "its bytes have no representation";
}

TEST(allocator, works_within_a_scoped_allocator_adaptor) {
    arena a;
    using scoped_vector = std::vector<string, std::scoped_allocator_adaptor<alloc<string>>>;
    scoped_vector strings{alloc<string>(a)};
    strings.emplace_back(text);
    EXPECT_EQ(strings.front(), text);
    EXPECT_EQ(&strings.front().get_allocator().mechanism(), &a);

    using entry = std::pair<const int, string>;
    using scoped_map = std::map<int, string, std::less<>, std::scoped_allocator_adaptor<alloc<entry>>>;
    scoped_map names{alloc<entry>(a)};
    names.emplace(1, text);
    names[2] = text;
    EXPECT_EQ(names.at(1), text);
    EXPECT_EQ(&names.at(1).get_allocator().mechanism(), &a);
    EXPECT_EQ(&names.at(2).get_allocator().mechanism(), &a);
}

TEST(allocator, is_always_equal_for_stateless_mechanism) {
    mallard::new_delete one;
    mallard::new_delete second;
    const mallard::allocator<int, mallard::new_delete> a(one);
    const mallard::allocator<long, mallard::new_delete> b(second);
    EXPECT_TRUE(a == b);
    EXPECT_TRUE(
        (std::allocator_traits<mallard::allocator<int, mallard::new_delete>>::is_always_equal::value));
    EXPECT_FALSE((std::allocator_traits<mallard::allocator<int, mallard::heap<>>>::is_always_equal::value));
}

TEST(allocator, reports_capacity_of_a_block) {
    mallard::heap heap;
    mallard::allocator<std::uint16_t, mallard::heap<>> a(heap);
    const auto block = a.allocate_at_least(9);
    EXPECT_GE(block.count, 9U);
    EXPECT_EQ(block.count, heap.usable_bytes(block.ptr) / 2);
    block.ptr[block.count - 1] = 7;
    a.deallocate(block.ptr, block.count);
    const auto another = a.allocate_at_least(9);
    a.deallocate(another.ptr, 9);
    EXPECT_EQ(heap.use().used_blocks, 0U);
}

#ifdef __cpp_exceptions
TEST(allocator, refuses_arrays_that_no_memory_could_hold) {
    mallard::heap heap;
    mallard::allocator<long, mallard::heap<>> a(heap);
    EXPECT_THROW(static_cast<void>(a.allocate(SIZE_MAX)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(a.allocate(a.max_size() + 1)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(a.allocate_at_least(a.max_size() + 1)), std::bad_array_new_length);
}
#endif

TEST(allocator, converts_and_rebinds) {
    arena a;
    const alloc<int> of_int(a);
    const alloc<std::string> of_string = of_int;
    EXPECT_EQ(&of_string.mechanism(), &a);
    using rebound = std::allocator_traits<alloc<int>>::rebind_alloc<double>;
    EXPECT_TRUE((std::is_same_v<rebound, alloc<double>>));
}

TEST(allocator, propagates_as_the_polymorphic_one_does) {
    using traits = std::allocator_traits<alloc<int>>;
    EXPECT_FALSE(traits::propagate_on_container_copy_assignment::value);
    EXPECT_FALSE(traits::propagate_on_container_move_assignment::value);
    EXPECT_FALSE(traits::propagate_on_container_swap::value);
    EXPECT_FALSE(traits::is_always_equal::value);
}

TEST(allocator, max_size_bounds_representable_objects) {
    arena a;
    alloc<int> of_int(a);
    EXPECT_EQ(std::allocator_traits<alloc<int>>::max_size(of_int), PTRDIFF_MAX / sizeof(int));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(of_int.allocate(of_int.max_size() + 1)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(of_int.allocate(SIZE_MAX / 4 + 2)))
        << "whose bytes would wrap to 4";
}

TEST(allocator, aligns_for_value_type) {
    struct alignas(256) wide {
        char c;
    };
    arena a;
    vector<char> shift(3, 'x', a);
    vector<wide> v(5, wide{}, a);
    EXPECT_TRUE(mallard::core::is_aligned(v.data(), 256));
}

TEST(allocator, assignment_keeps_mechanism) {
    arena a;
    arena b;
    vector<string> in_a({string(text, a), string("x", a)}, a);
    vector<string> in_b(b);

    in_b = in_a;
    EXPECT_EQ(&in_b.get_allocator().mechanism(), &b);
    EXPECT_EQ(&in_b[0].get_allocator().mechanism(), &b) << "elements are copied to where the container is";
    EXPECT_EQ(in_b[0], text);

    in_b.clear();
    in_b = std::move(in_a);
    EXPECT_EQ(&in_b.get_allocator().mechanism(), &b);
    EXPECT_EQ(&in_b[0].get_allocator().mechanism(), &b);
    EXPECT_EQ(in_b[0], text);
}

} // namespace

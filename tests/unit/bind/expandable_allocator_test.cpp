#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/failing.hpp>
#include <mallard/bind/expandable_allocator.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using mallard::expansion;
using plots = mallard::counted<equipment::plots>;
using bits = mallard::command_bits;
template <class T, mallard::capability_mask Masked = expansion::none>
using alloc = mallard::expandable_allocator<T, plots, Masked>;
template <class T>
using vector = std::vector<T, alloc<T>>;
using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

constexpr std::string_view text = "longer than any string that fits into its own object";
constexpr unsigned grow = bits::allocate_new | bits::expand_forward | bits::expand_backward;

TEST(expandable_allocator, is_one_pointer) {
    EXPECT_EQ(sizeof(alloc<int>), sizeof(void*));
    EXPECT_TRUE(std::is_trivially_copyable_v<alloc<int>>);
    EXPECT_EQ(alloc<int>::version::value, 2U);
}

TEST(expandable_allocator, equals_when_mechanism_is_identical) {
    plots a;
    plots b;
    const alloc<int> of_a(a);
    EXPECT_TRUE(of_a == alloc<int>(a));
    EXPECT_TRUE(of_a == alloc<double>(a)) << "whatever the type";
    EXPECT_TRUE(of_a != alloc<int>(b));
    EXPECT_EQ(&of_a.mechanism(), &a);
}

TEST(expandable_allocator, conversion_and_rebind_keep_mask) {
    plots a;
    const alloc<int, expansion::backward> of_int(a);
    const alloc<std::string, expansion::backward> of_string = of_int;
    EXPECT_EQ(&of_string.mechanism(), &a);
    using rebound = std::allocator_traits<alloc<int, expansion::backward>>::rebind_alloc<double>;
    EXPECT_TRUE((std::is_same_v<rebound, alloc<double, expansion::backward>>));
    EXPECT_FALSE((std::is_convertible_v<alloc<int>, alloc<int, expansion::backward>>));
}

TEST(expandable_allocator, propagates_as_the_polymorphic_one_does) {
    using traits = std::allocator_traits<alloc<int>>;
    EXPECT_FALSE(traits::propagate_on_container_copy_assignment::value);
    EXPECT_FALSE(traits::propagate_on_container_move_assignment::value);
    EXPECT_FALSE(traits::propagate_on_container_swap::value);
    EXPECT_FALSE(traits::is_always_equal::value);
}

TEST(expandable_allocator, passes_allocator_to_aware_elements) {
    plots a;
    plots b;
    vector<string> in_a({string(text, a), string("x", a)}, a);
    vector<string> in_b(in_a, alloc<string>(b));
    EXPECT_EQ(&in_b[0].get_allocator().mechanism(), &b);
    in_b.clear();
    in_b = in_a;
    EXPECT_EQ(&in_b.get_allocator().mechanism(), &b) << "assignment leaves a container where it is";
    EXPECT_EQ(&in_b[0].get_allocator().mechanism(), &b);
    const vector<string> copy(in_a);
    EXPECT_EQ(&copy.get_allocator().mechanism(), &a);
    EXPECT_EQ(copy[0], text);
    std::map<int, string, std::less<>, alloc<std::pair<const int, string>>> map(b);
    map.try_emplace(1, text);
    EXPECT_EQ(&map.at(1).get_allocator().mechanism(), &b) << "pairs too";
}

TEST(expandable_allocator, max_size_bounds_representable_objects) {
    plots a;
    alloc<int> of_int(a);
    EXPECT_EQ(std::allocator_traits<alloc<int>>::max_size(of_int), PTRDIFF_MAX / sizeof(int));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(of_int.allocate(of_int.max_size() + 1)));
    std::size_t preferred = SIZE_MAX;
    int* reuse = nullptr;
    EXPECT_OUT_OF_MEMORY(
        static_cast<void>(of_int.allocation_command(grow, SIZE_MAX / 4 + 2, preferred, reuse)))
        << "whose bytes would wrap to 4";
    EXPECT_EQ(of_int.allocation_command(grow | bits::nothrow_allocation, SIZE_MAX, preferred, reuse),
              nullptr);
    EXPECT_EQ(of_int.allocation_command(bits::expand_forward, SIZE_MAX, preferred, reuse), nullptr);
    alloc<int>::multiallocation_chain chain;
    EXPECT_OUT_OF_MEMORY(of_int.allocate_many(SIZE_MAX / 4 + 2, 1, chain));
    const std::size_t sizes[] = {1, SIZE_MAX / 4 + 2};
    EXPECT_OUT_OF_MEMORY(of_int.allocate_many(sizes, 2, chain));
    EXPECT_TRUE(chain.empty());
}

/// Grows a block of 6 objects by a command that the test chooses.
template <class T, mallard::capability_mask Masked = expansion::none>
struct command_call {
    std::size_t received;
    T* reuse;
    T* p;

    command_call(alloc<T, Masked> allocator, T* block, unsigned command, std::size_t limit,
                 std::size_t preferred)
        : received(preferred), reuse(block),
          p(allocator.allocation_command(command, limit, received, reuse)) {}
};

TEST(expandable_allocator, grows_forward_first) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(6);
    const command_call<int> more(of_int, p, grow, 10, 100);
    EXPECT_EQ(more.p, p);
    EXPECT_EQ(more.reuse, p) << "the block itself";
    EXPECT_EQ(more.received, 100U);
    EXPECT_EQ(a.counts().grown_forward, 1U);
    of_int.deallocate(p, more.received);
    EXPECT_EQ(a.counts().bytes_in_use, 0U);
}

TEST(expandable_allocator, grows_backward_when_forward_is_not_allowed) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(6);
    p[0] = 17;
    const command_call<int> more(of_int, p, bits::allocate_new | bits::expand_backward, 100, 120);
    EXPECT_LT(more.p, p);
    EXPECT_EQ(more.reuse, p);
    EXPECT_GE(more.received, 100U);
    EXPECT_EQ((p - more.p) % 4, 0) << "by granules";
    EXPECT_EQ(p[0], 17) << "where it was";
    EXPECT_EQ(a.counts().grown_backward, 1U);
    of_int.deallocate(more.p, more.received);
    EXPECT_EQ(a.counts().bytes_in_use, 0U);
}

TEST(expandable_allocator, allocates_new_block_when_growth_fails) {
    plots a;
    alloc<int> of_int(a);
    const command_call<int> first(of_int, nullptr, grow, 6, 12);
    ASSERT_NE(first.p, nullptr);
    EXPECT_EQ(first.received, 12U);
    EXPECT_EQ(first.reuse, nullptr);
    const command_call<int> second(of_int, first.p, bits::allocate_new, 10, 20);
    EXPECT_NE(second.p, first.p);
    EXPECT_EQ(second.reuse, nullptr) << "the old block is still live";
    EXPECT_EQ(of_int.size(first.p), 12U);
    EXPECT_EQ(of_int.size(second.p), 20U);
    EXPECT_EQ(a.counts().allocations, 2U);
    of_int.deallocate(first.p, 12);
    of_int.deallocate(second.p, 20);
}

TEST(expandable_allocator, preferred_size_is_at_least_limit) {
    plots a;
    alloc<int> of_int(a);
    const command_call<int> block(of_int, nullptr, grow, 40, 8);
    EXPECT_EQ(block.received, 40U);
    of_int.deallocate(block.p, block.received);
}

TEST(expandable_allocator, returns_null_without_new_block_allowed) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(6);
    for (const unsigned quiet : {0U, bits::nothrow_allocation}) {
        const command_call<int> more(of_int, p, bits::expand_forward | quiet, 4000, 5000);
        EXPECT_EQ(more.p, nullptr);
        EXPECT_EQ(more.received, 5000U) << "as it was";
        EXPECT_EQ(more.reuse, p);
    }
    of_int.deallocate(p, 6);
}

TEST(expandable_allocator, fails_by_null_or_exception_as_requested) {
    plots a;
    alloc<int> of_int(a);
    const command_call<int> quiet(of_int, nullptr, grow | bits::nothrow_allocation, 4000, 5000);
    EXPECT_EQ(quiet.p, nullptr);
    EXPECT_OUT_OF_MEMORY((command_call<int>(of_int, nullptr, grow, 4000, 5000)));
}

TEST(expandable_allocator, rejects_shrink_preferring_more_than_limit) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(100);
    const command_call<int> senseless(of_int, p, bits::shrink_in_place, 20, 40);
    EXPECT_EQ(senseless.p, nullptr);
    EXPECT_EQ(a.counts().shrunk, 0U);
    EXPECT_EQ(a.counts().bytes_in_use, 100 * sizeof(int));
    of_int.deallocate(p, 100);
}

TEST(expandable_allocator, shrinks_in_place) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(100);
    const command_call<int> less(of_int, p, bits::shrink_in_place | bits::nothrow_allocation, 100, 8);
    EXPECT_EQ(less.p, p);
    EXPECT_EQ(less.received, 8U);
    EXPECT_EQ(a.counts().shrunk, 1U);
    const command_call<int> too_much(of_int, p, bits::shrink_in_place, 5, 5);
    EXPECT_EQ(too_much.p, nullptr) << "a granule has 16 bytes: there is room for 8 still";
    EXPECT_EQ(too_much.received, 5U) << "as it was";
    const command_call<int> senseless(of_int, p, bits::shrink_in_place, 5, 6);
    EXPECT_EQ(senseless.p, nullptr);
    of_int.deallocate(p, 8);
    EXPECT_EQ(a.counts().bytes_in_use, 0U);
}

TEST(expandable_allocator, tries_to_shrink_without_doing_so) {
    plots a;
    alloc<int> of_int(a);
    int* const p = of_int.allocate(100);
    for (const std::size_t wanted : {100U, 99U, 8U, 5U, 1U}) {
        const command_call<int> tried(of_int, p, bits::try_shrink_in_place, 100, wanted);
        EXPECT_EQ(tried.p, p);
        EXPECT_EQ(tried.received, (wanted + 3) / 4 * 4) << "a granule has 16 bytes";
        EXPECT_EQ(of_int.size(p), 100U);
    }
    const command_call<int> too_much(of_int, p, bits::try_shrink_in_place | bits::nothrow_allocation, 5, 5);
    EXPECT_EQ(too_much.p, nullptr);
    EXPECT_EQ(too_much.received, 5U) << "as it was";
    EXPECT_EQ(command_call<int>(of_int, p, bits::try_shrink_in_place, 5, 6).p, nullptr);
    EXPECT_EQ((command_call<int, mallard::no_shrinking>(a, p, bits::try_shrink_in_place, 100, 8).p), nullptr);
    EXPECT_EQ(a.counts().shrunk, 0U);
    const command_call<int> both(of_int, p, bits::try_shrink_in_place | bits::shrink_in_place, 100, 8);
    EXPECT_EQ(both.received, 8U);
    EXPECT_EQ(a.counts().shrunk, 1U);
    of_int.deallocate(p, 8);
}

TEST(expandable_allocator, reports_null_if_mechanism_cannot_try) {
    class untrying : public equipment::plots {
        using plots::shrunk_bytes;
    };
    untrying a;
    mallard::expandable_allocator<int, untrying> of_int(a);
    int* p = of_int.allocate(100);
    std::size_t preferred = 8;
    EXPECT_EQ(of_int.allocation_command(bits::try_shrink_in_place, 100, preferred, p), nullptr);
    EXPECT_EQ(preferred, 8U);
    of_int.deallocate(p, 100);
}

template <class T>
class expandable_allocator_elements : public ::testing::Test {};

template <std::size_t Bytes, std::size_t Alignment = 1>
struct alignas(Alignment) element {
    std::byte bytes[Bytes];
};
using elements = ::testing::Types<element<3>, element<12, 4>, element<24, 8>, element<192, 64>>;
TYPED_TEST_SUITE(expandable_allocator_elements, elements);

TYPED_TEST(expandable_allocator_elements, places_of_objects_stay_places_of_objects) {
    plots a;
    alloc<TypeParam> allocator(a);
    TypeParam* p = allocator.allocate(1);
    std::size_t capacity = allocator.size(p);
    EXPECT_GE(capacity, 1U);
    while (a.counts().grown_backward < 2) {
        const command_call<TypeParam> more(allocator, p, bits::expand_backward, capacity + 1, capacity + 1);
        ASSERT_NE(more.p, nullptr);
        ASSERT_GT(more.received, capacity);
        const auto down = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(more.p);
        ASSERT_EQ(down % sizeof(TypeParam), 0U);
        ASSERT_TRUE(mallard::core::is_aligned(more.p, alignof(TypeParam)));
        p = more.p;
        capacity = more.received;
    }
    allocator.deallocate(p, capacity);
    EXPECT_EQ(a.counts().bytes_in_use, 0U);
}

TYPED_TEST(expandable_allocator_elements, gives_and_takes_bursts_in_any_size) {
    plots a;
    alloc<TypeParam> allocator(a);
    typename alloc<TypeParam>::multiallocation_chain chain;
    allocator.allocate_individual(5, chain);
    EXPECT_EQ(chain.size(), 5U);
    allocator.deallocate_one(chain.pop_front());
    chain.push_front(allocator.allocate_one());
    allocator.deallocate_individual(chain);
    EXPECT_TRUE(chain.empty());

    allocator.allocate_many(3, 4, chain);
    const std::size_t sizes[] = {1, 7, 2};
    allocator.allocate_many(sizes, 3, chain);
    EXPECT_EQ(chain.size(), 7U);
    std::vector<std::size_t> rooms;
    for (auto at = chain.begin(); at != chain.end(); ++at) {
        EXPECT_TRUE(mallard::core::is_aligned(at.operator->(), alignof(TypeParam)));
        rooms.push_back(allocator.size(at.operator->()));
    }
    for (std::size_t i = 0; i != 7; ++i) {
        EXPECT_GE(rooms[i], i < 4 ? 3U : sizes[i - 4]) << i;
    }
    allocator.deallocate_many(chain);
    EXPECT_TRUE(chain.empty());
    EXPECT_EQ(a.counts().bytes_in_use, 0U);
    EXPECT_EQ(a.counts().allocations, 13U);
}

TEST(expandable_allocator, masked_capabilities_are_unused) {
    plots a;
    int* const p = alloc<int>(a).allocate(6);
    const auto try_to = [&]<mallard::capability_mask Masked>(unsigned command, std::size_t least) {
        return command_call<int, Masked>(a, p, command | bits::nothrow_allocation, least, least).p;
    };
    constexpr unsigned in_place = bits::expand_forward | bits::expand_backward;
    EXPECT_EQ(try_to.operator()<expansion::in_place>(in_place, 10), nullptr);
    EXPECT_EQ(try_to.operator()<expansion::forward>(bits::expand_forward, 10), nullptr);
    EXPECT_EQ(try_to.operator()<expansion::backward>(bits::expand_backward, 10), nullptr);
    EXPECT_EQ(try_to.operator()<mallard::no_shrinking>(bits::shrink_in_place, 1), nullptr);
    EXPECT_EQ(alloc<int>(a).size(p), 8U) << "nothing has happened";
    EXPECT_EQ(try_to.operator()<expansion::backward>(in_place, 10), p);
    EXPECT_EQ(try_to.operator()<mallard::no_shrinking>(in_place, 20), p);
    EXPECT_EQ(try_to.operator()<mallard::no_bursts>(bits::shrink_in_place, 20), p);
    int* const lower = try_to.operator()<expansion::forward>(in_place, 100);
    EXPECT_LT(lower, p);
    alloc<int>(a).deallocate(lower, 100);
}

TEST(expandable_allocator, masks_add_up) {
    constexpr mallard::capability_mask all = expansion::in_place | mallard::no_shrinking | mallard::no_bursts;
    EXPECT_EQ(all.growth, expansion::in_place);
    EXPECT_TRUE(all.shrinking);
    EXPECT_TRUE(all.bursts);
    constexpr mallard::capability_mask one = expansion::backward | mallard::no_bursts;
    EXPECT_EQ(one.growth, expansion::backward);
    EXPECT_FALSE(one.shrinking);
    EXPECT_TRUE((alloc<int, one>::masked.bursts));
    EXPECT_FALSE(alloc<int>::masked.bursts);
}

#ifdef __cpp_exceptions

/// `requests` is the number of requests to the mechanism for a burst of five blocks.
template <mallard::capability_mask Masked>
void expect_no_block_of_a_burst_that_fails(std::size_t requests) {
    using source = mallard::failing<plots>;
    using failing_alloc = mallard::expandable_allocator<double, source, Masked>;
    const std::size_t sizes[] = {1, 20, 3, 4, 5};
    for (std::size_t k = 1; k <= 11; ++k) {
        source a(mallard::failure_plan{.at = 0});
        failing_alloc allocator(a);
        typename failing_alloc::multiallocation_chain chain;
        allocator.allocate_individual(1, chain);
        a.plan({.at = k});
        if (k <= requests) {
            EXPECT_THROW(allocator.allocate_individual(5, chain), std::bad_alloc);
            a.plan({.at = k});
            EXPECT_THROW(allocator.allocate_many(sizes, 5, chain), std::bad_alloc);
        } else {
            allocator.allocate_individual(5, chain);
        }
        EXPECT_EQ(chain.size(), k <= requests ? 1U : 6U);
        allocator.deallocate_many(chain);
        EXPECT_EQ(a.mechanism().counts().bytes_in_use, 0U);
    }
}

TEST(expandable_allocator, keeps_no_block_of_a_burst_that_fails) {
    expect_no_block_of_a_burst_that_fails<expansion::none>(1);
    expect_no_block_of_a_burst_that_fails<mallard::no_bursts>(5);
}

#endif

} // namespace

#include "equipment/ledger.hpp"

#include <mallard/bind/inline_resource.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <list>
#include <memory_resource>
#include <new>
#include <scoped_allocator>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace {

constexpr std::string_view text = "longer than any string that fits into its own object";

template <class T>
using inline_vector = std::vector<T, mallard::inline_allocator<T>>;
using inline_string = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;

/// A mechanism that counts its calls, so that a test sees the virtual ones.
class calls_counted final : public mallard::inline_resource {
public:
    int allocations = 0;
    int deallocations = 0;

    void lead_to(mallard::inline_resource::pool_front& front) { serve_from(front); }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++allocations;
        return memory_.allocate(bytes, alignment);
    }
    void do_deallocate(void*, std::size_t, std::size_t) override { ++deallocations; }
    std::pmr::monotonic_buffer_resource memory_;
};

template <class A>
constexpr bool has_front = mallard::core::has_front<A>;

TEST(inline_resource, is_one_type_for_all_mechanisms) {
    using list = std::list<int, mallard::inline_allocator<int>>;
    const auto sum_elements = [](mallard::inline_resource& memory) {
        list l({1, 2, 3, 4}, &memory);
        l.pop_front();
        l.push_back(5);
        int sum = 0;
        for (const int i : l) {
            sum += i;
        }
        return sum;
    };
    mallard::resource<mallard::monotonic<>> monotonic;
    mallard::resource<mallard::multipool<>> multipool;
    mallard::monotonic<> arena;
    mallard::resource<mallard::multipool<mallard::monotonic<>>> over(arena);
    mallard::resource<mallard::heap<>> heap;
    mallard::resource<mallard::fast_fit<>> fast_fit;
    mallard::resource<mallard::counted<mallard::multipool<>>> counted;
    mallard::resource<mallard::concurrent_multipool<>> concurrent;
    EXPECT_EQ(sum_elements(monotonic), 14);
    EXPECT_EQ(sum_elements(multipool), 14);
    EXPECT_EQ(sum_elements(over), 14);
    EXPECT_EQ(sum_elements(heap), 14);
    EXPECT_EQ(sum_elements(fast_fit), 14);
    EXPECT_EQ(sum_elements(counted), 14);
    EXPECT_EQ(counted.mechanism().counts().allocations, 5U);
    EXPECT_EQ(sum_elements(concurrent), 14);
    EXPECT_EQ(sum_elements(*mallard::new_delete_resource()), 14);
}

/// Changes a call, and inherits the rest.
struct counting_pool : mallard::multipool<> {
    int calls = 0;
    void* allocate(std::size_t bytes, std::size_t alignment = mallard::fundamental_alignment) {
        ++calls;
        return mallard::multipool<>::allocate(bytes, alignment);
    }
};

TEST(inline_resource, takes_the_front_of_exact_types_only) {
    constexpr bool unchecked = MALLARD_CHECKED == 0;
    EXPECT_EQ(has_front<mallard::monotonic<>>, unchecked);
    EXPECT_EQ(has_front<mallard::multipool<>>, unchecked);
    EXPECT_EQ(has_front<mallard::multipool<mallard::monotonic<>>>, unchecked);
    EXPECT_FALSE(has_front<counting_pool>);
    EXPECT_FALSE(has_front<mallard::counted<mallard::multipool<>>>);
    EXPECT_FALSE(has_front<mallard::checked<mallard::multipool<>>>);
    EXPECT_FALSE(has_front<mallard::synchronized<mallard::multipool<>>>);
    EXPECT_FALSE(has_front<mallard::concurrent_multipool<>>);
    EXPECT_FALSE(has_front<mallard::heap<>>);

    mallard::resource<counting_pool> pool;
    mallard::inline_resource& base = pool;
    base.deallocate(base.allocate(24), 24);
    base.deallocate(base.allocate(24), 24);
    EXPECT_EQ(pool.mechanism().calls, 2);
}

TEST(inline_resource, serves_polymorphic_allocators_from_mechanism) {
    mallard::resource<mallard::multipool<>> pool;
    mallard::inline_resource& inlined = pool;
    std::pmr::memory_resource& abstract = pool;
    void* const p = inlined.allocate(24, 8);
    abstract.deallocate(p, 24, 8);
    EXPECT_EQ(inlined.allocate(24, 8), p) << "one list of free blocks";
    inlined.deallocate(p, 24, 8);
    EXPECT_EQ(abstract.allocate(24, 8), p);
    abstract.deallocate(p, 24, 8);
}

TEST(inline_resource, cuts_same_blocks_as_mechanism) {
    equipment::ledger source;
    equipment::ledger direct_source;
    mallard::resource<mallard::monotonic<equipment::ledger>> arena(source);
    mallard::monotonic<equipment::ledger> direct(direct_source);
    mallard::inline_resource& base = arena;
    std::byte* last = nullptr;
    std::byte* last_direct = nullptr;
    for (std::size_t bytes = 0; bytes != 300; ++bytes) {
        const std::size_t alignment = std::size_t{1} << bytes % 5;
        const std::size_t chunks = source.granted().size();
        auto* p = static_cast<std::byte*>(base.allocate(bytes, alignment));
        auto* q = static_cast<std::byte*>(direct.allocate(bytes, alignment));
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
        std::memset(p, 1, bytes);
        ASSERT_EQ(source.granted().size(), direct_source.granted().size()) << bytes;
        if (source.granted().size() == chunks) {
            EXPECT_EQ(p - last, q - last_direct) << bytes;
        }
        last = p;
        last_direct = q;
    }
    EXPECT_GT(source.granted().size(), 1U);
}

TEST(inline_resource, calls_virtually_only_when_front_fails) {
    mallard::inline_resource::pool_front front(16);
    alignas(16) std::byte room[256];
    front.set_room(room, sizeof room);
    calls_counted base;
    base.lead_to(front);
    base.deallocate(base.allocate(24, 8), 24, 8);
    EXPECT_EQ(base.allocations, 1) << "the class has no list yet";
    EXPECT_EQ(base.deallocations, 1);
    front.free().serve(2, 16, nullptr);
    void* const p = base.allocate(24, 8);
    EXPECT_EQ(p, room);
    base.deallocate(p, 24, 8);
    EXPECT_EQ(base.allocations, 1);
    EXPECT_EQ(base.deallocations, 1);
    void* const wide = base.allocate(24, 32);
    void* const large = base.allocate(129, 8);
    void* const beyond = base.allocate(4000, 8);
    EXPECT_EQ(base.allocations, 4);
    base.deallocate(wide, 24, 32);
    base.deallocate(large, 129, 8);
    base.deallocate(beyond, 4000, 8);
    EXPECT_EQ(base.deallocations, 4);
}

TEST(inline_resource, follows_release_rewind_and_rollback) {
    equipment::ledger source;
    mallard::resource<mallard::monotonic<equipment::ledger>> arena(source);
    mallard::inline_resource& base = arena;
    void* const first = base.allocate(24, 8);
    {
        const mallard::checkpoint scratch(arena.mechanism());
        static_cast<void>(base.allocate(100, 8));
    }
    void* const second = base.allocate(24, 8);
    EXPECT_GE(static_cast<std::byte*>(second) - static_cast<std::byte*>(first), 24);
    arena.mechanism().rewind();
    EXPECT_EQ(base.allocate(24, 8), first);
    arena.release();
    EXPECT_EQ(source.outstanding(), 0U);
    static_cast<void>(base.allocate(24, 8));
    EXPECT_EQ(source.outstanding(), 1U);
}

/// Code that was compiled elsewhere reads these words.
TEST(inline_resource, layout_matches_documentation) {
    static_assert(sizeof(mallard::inline_resource) == 16);
    static_assert(alignof(mallard::inline_resource) == 8);
    static_assert(sizeof(mallard::inline_resource::pool_front) == 24);
    const auto word = [](const void* at, std::size_t offset) {
        std::uintptr_t value = 0;
        std::memcpy(&value, static_cast<const std::byte*>(at) + offset, sizeof value);
        return value;
    };
    if constexpr (has_front<mallard::multipool<>>) {
        mallard::resource<mallard::multipool<>> pool;
        const mallard::inline_resource& base = pool;
        EXPECT_EQ(word(&base, 8), reinterpret_cast<std::uintptr_t>(&pool.mechanism().front()));
        mallard::resource<mallard::monotonic<>> arena;
        const mallard::inline_resource& resource = arena;
        EXPECT_EQ(word(&resource, 8), reinterpret_cast<std::uintptr_t>(&arena.mechanism().front()) + 1);
    }
    alignas(16) std::byte room[256];
    mallard::inline_resource::pool_front front(80);
    front.set_room(room, 128);
    const auto half = [&front](std::size_t offset) {
        std::uint32_t value = 0;
        std::memcpy(&value, reinterpret_cast<const std::byte*>(&front) + offset, sizeof value);
        return value;
    };
    EXPECT_EQ(half(8) >> 16, 80U) << "the classes";
    EXPECT_EQ(half(12), static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(room + 128)));
    EXPECT_EQ(word(&front, 16), reinterpret_cast<std::uintptr_t>(room));
    front.free().serve(2, 80, nullptr);
    EXPECT_TRUE(front.deallocate(room + 64, 24, 8));
    EXPECT_EQ(word(&front, 0), reinterpret_cast<std::uintptr_t>(room + 64)) << "the only list";
    EXPECT_EQ(half(8) & 0xffff, 0xfffdU) << "is that of class 2";
    mallard::chunks::region_front region;
    region.set_room(room, room + 256);
    EXPECT_EQ(word(&region, 0), reinterpret_cast<std::uintptr_t>(room));
    EXPECT_EQ(word(&region, 8), reinterpret_cast<std::uintptr_t>(room + 256));
}

TEST(inline_allocator, equals_for_one_base_and_never_propagates) {
    mallard::resource<mallard::multipool<>> a;
    mallard::resource<mallard::multipool<>> b;
    const mallard::inline_allocator<int> of_a(&a);
    EXPECT_TRUE(of_a == mallard::inline_allocator<char>(a));
    EXPECT_FALSE(of_a == mallard::inline_allocator<int>(&b));
    inline_vector<int> v({1, 2, 3}, &a);
    inline_vector<int> w({4}, &b);
    w = v;
    EXPECT_EQ(&w.get_allocator().mechanism(), &static_cast<mallard::inline_resource&>(b));
    const inline_vector<int> copy = v;
    EXPECT_TRUE(copy.get_allocator() == v.get_allocator());
    static_assert(sizeof(mallard::inline_allocator<int>) == sizeof(void*));
}

#ifdef __cpp_exceptions
TEST(inline_allocator, refuses_more_than_can_be) {
    mallard::resource<mallard::multipool<>> pool;
    mallard::inline_allocator<double> a(&pool);
    EXPECT_THROW(static_cast<void>(a.allocate(SIZE_MAX / 4)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(a.allocate(PTRDIFF_MAX / sizeof(double))), std::bad_alloc);
}
#endif

TEST(inline_allocator, is_winked_out) {
    equipment::ledger source;
    mallard::resource<mallard::monotonic<equipment::ledger>> arena(source);
    using set = std::unordered_set<inline_string, std::hash<std::string_view>, std::equal_to<>,
                                   mallard::inline_allocator<inline_string>>;
    static_assert(mallard::winkable<inline_vector<inline_vector<int>>>);
    static_assert(!mallard::winkable<inline_vector<std::string>>);
    auto& v = mallard::wink_out<inline_vector<inline_string>>(arena);
    for (int i = 0; i != 100; ++i) {
        v.emplace_back(text);
    }
    EXPECT_EQ(&v.get_allocator().mechanism(), &static_cast<mallard::inline_resource&>(arena));
    EXPECT_EQ(&v[50].get_allocator().mechanism(), &static_cast<mallard::inline_resource&>(arena));
    mallard::inline_resource& base = arena;
    auto& w = mallard::wink_out<set>(mallard::assume_winkable, base);
    EXPECT_EQ(&w.get_allocator().mechanism(), &base);
    auto& polymorphic = mallard::wink_out<std::pmr::vector<std::pmr::string>>(arena);
    EXPECT_EQ(polymorphic.emplace_back(text).get_allocator().resource(), &arena);
    arena.release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

} // namespace

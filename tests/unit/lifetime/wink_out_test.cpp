#include "equipment/ledger.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/lifetime/checkpoint.hpp>
#include <mallard/lifetime/wink_out.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace {

using arena_type = mallard::monotonic<equipment::ledger>;
template <class T, class A = arena_type>
using vector = std::vector<T, mallard::allocator<T, A>>;
template <class A = arena_type>
using basic_string = std::basic_string<char, std::char_traits<char>, mallard::allocator<char, A>>;

constexpr std::string_view text = "longer than any string that fits into its own object";

std::size_t destroyed = 0;

struct counts_destruction {
    explicit counts_destruction(int n = 0) : number(n) {}
    ~counts_destruction() { ++destroyed; }
    int number;
};

class wink_out : public ::testing::Test {
protected:
    ~wink_out() override { EXPECT_EQ(source_.complaints(), equipment::no_complaints); }

    equipment::ledger source_;
};

TEST_F(wink_out, never_runs_the_destructor) {
    destroyed = 0;
    {
        arena_type arena(source_);
        const auto& object = mallard::wink_out<counts_destruction>(mallard::assume_winkable, arena, 42);
        EXPECT_EQ(object.number, 42);
        arena.release();
        static_cast<void>(mallard::wink_out<counts_destruction>(mallard::assume_winkable, arena));
    }
    EXPECT_EQ(destroyed, 0U);
    EXPECT_EQ(source_.outstanding(), 0U) << "the memory comes back all the same";
}

TEST_F(wink_out, forwards_arguments) {
    arena_type arena(source_);
    EXPECT_EQ(mallard::wink_out<int>(arena, 7), 7);
    const auto& v = mallard::wink_out<vector<int>>(arena, std::size_t{3}, 5);
    EXPECT_EQ(v, (vector<int>({5, 5, 5}, arena)));
    const auto& p = mallard::wink_out<std::pair<int, basic_string<>>>(arena, 1, text);
    EXPECT_EQ(p.second, text);
    EXPECT_EQ(&p.second.get_allocator().mechanism(), &arena);
}

TEST_F(wink_out, accepts_unknown_base_when_assumed) {
    arena_type arena(source_);
    mallard::resource<arena_type&> resource(arena);
    std::pmr::memory_resource& base = resource;
    auto& v = mallard::wink_out<std::pmr::vector<int>>(mallard::assume_winkable, base, std::size_t{10}, 1);
    EXPECT_EQ(v.get_allocator().resource(), &base);
    arena.release();
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(wink_out, ends_with_a_rewind_or_a_rollback_too) {
    arena_type arena(source_);
    static_cast<void>(mallard::wink_out<vector<int>>(arena, std::size_t{100}, 1));
    const std::size_t chunks = arena.stats().chunks;
    arena.rewind();
    {
        const mallard::checkpoint scratch(arena);
        static_cast<void>(mallard::wink_out<vector<int>>(arena, std::size_t{100}, 1));
    }
    EXPECT_LE(arena.stats().chunks, chunks);
    EXPECT_EQ(source_.granted().size(), chunks) << "each time in the same chunks";
}

TEST_F(wink_out, aligns_the_object) {
    struct alignas(128) wide {
        char c = 'x';
    };
    arena_type arena(source_);
    mallard::resource<arena_type&> resource(arena);
    EXPECT_TRUE(mallard::core::is_aligned(&mallard::wink_out<wide>(arena), 128));
    EXPECT_TRUE(mallard::core::is_aligned(&mallard::wink_out<wide>(resource), 128));
}

TEST_F(wink_out, constructs_constants_and_arrays) {
    arena_type arena(source_);
    mallard::resource<arena_type&> resource(arena);
    EXPECT_EQ(mallard::wink_out<const int>(arena, 7), 7);
    EXPECT_EQ(mallard::wink_out<const std::pmr::string>(resource, text).get_allocator().resource(),
              &resource);
    int(&numbers)[4] = mallard::wink_out<int[4]>(arena);
    EXPECT_EQ(numbers[0] + numbers[1] + numbers[2] + numbers[3], 0);
    const int(&table)[2][3] = mallard::wink_out<const int[2][3]>(resource);
    EXPECT_EQ(table[1][2], 0);
    arena.release();
}

#ifdef __cpp_exceptions

TEST_F(wink_out, gives_the_room_back_where_a_constructor_throws) {
    struct throws {
        throws() { throw 1; }
        std::array<char, 100> big;
    };
    mallard::counted<mallard::multipool<equipment::ledger>> pool(source_);
    mallard::resource<decltype(pool)&> resource(pool);
    EXPECT_THROW(static_cast<void>(mallard::wink_out<throws>(pool)), int);
    EXPECT_THROW(static_cast<void>(mallard::wink_out<throws>(resource)), int);
    EXPECT_EQ(pool.bytes_in_use(), 0U);
}

TEST_F(wink_out, leaves_nothing_behind_where_a_constructor_throws) {
    struct throws {
        throws() { throw 1; }
    };
    arena_type arena(source_);
    void* const first = arena.allocate(1, 8);
    EXPECT_THROW(static_cast<void>(mallard::wink_out<throws>(arena)), int);
    EXPECT_THROW(static_cast<void>(mallard::wink_out<throws[10]>(arena)), int);
    EXPECT_EQ(static_cast<void*>(&mallard::wink_out<long>(arena, 5)), static_cast<std::byte*>(first) + 8);
    arena.release();
    EXPECT_EQ(source_.outstanding(), 0U);
}

#endif

} // namespace

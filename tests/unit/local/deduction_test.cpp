// Every constructor by deduction. This file is compiled with MALLARD_CHECKED and without: a debug build has to deduce all
// that a release build deduces.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

namespace {

using mallard::block_size;

template <class Wanted, class T>
constexpr bool is = std::is_same_v<Wanted, std::remove_cvref_t<T>>;

/// An upstream that has to be found by reference.
struct source : mallard::new_delete {
    int number = 0;
};

/// Arguments that are not evaluated.
struct argument {
    static source& s;
    static mallard::monotonic<>& arena;
    static std::span<std::byte>& bytes;
    static std::array<std::byte, 64>& array;
    static char (&memory)[64];
};
constexpr mallard::monotonic_options regions{};
constexpr mallard::fixed_pool_options one_size{};
constexpr mallard::adaptive_pool_options nodes{};
constexpr mallard::multipool_options pools{};
constexpr mallard::small_object_pool_options small{};
constexpr mallard::heap_options blocks{};

static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic())>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(regions))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(argument::bytes))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(argument::array))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(argument::bytes, regions))>);
static_assert(
    is<mallard::monotonic<>, decltype(mallard::monotonic(argument::bytes, {.growth = {.factor = 4}}))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(1 << 20))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(1 << 20, regions))>);
static_assert(is<mallard::monotonic<source>, decltype(mallard::monotonic(1 << 20, argument::s))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(argument::memory, 64))>);
static_assert(is<mallard::monotonic<>, decltype(mallard::monotonic(argument::memory, 64, regions))>);
static_assert(
    is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::memory, 64, argument::s))>);
static_assert(is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::s))>);
static_assert(is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::s, regions))>);
static_assert(
    is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::s, {.growth = {.factor = 4}}))>);
static_assert(is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::bytes, argument::s))>);
static_assert(is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::array, argument::s))>);
static_assert(
    is<mallard::monotonic<source>, decltype(mallard::monotonic(argument::bytes, argument::s, regions))>);
static_assert(is<mallard::monotonic<source>,
                 decltype(mallard::monotonic(argument::bytes, argument::s, {.growth = {.factor = 4}}))>);

static_assert(is<mallard::multipool<>, decltype(mallard::multipool())>);
static_assert(is<mallard::multipool<>, decltype(mallard::multipool(pools))>);
static_assert(is<mallard::multipool<>, decltype(mallard::multipool({.largest_pooled_bytes = 64}))>);
static_assert(is<mallard::multipool<source>, decltype(mallard::multipool(argument::s))>);
static_assert(is<mallard::multipool<source>, decltype(mallard::multipool(argument::s, pools))>);
static_assert(
    is<mallard::multipool<source>, decltype(mallard::multipool(argument::s, {.largest_pooled_bytes = 64}))>);
static_assert(is<mallard::multipool<mallard::monotonic<>>, decltype(mallard::multipool(argument::arena))>);

static_assert(is<mallard::fast_fit<>, decltype(mallard::fast_fit(pools))>);

static_assert(is<mallard::concurrent_multipool<>, decltype(mallard::concurrent_multipool())>);
static_assert(is<mallard::concurrent_multipool<>, decltype(mallard::concurrent_multipool(pools))>);
static_assert(
    is<mallard::concurrent_multipool<source>, decltype(mallard::concurrent_multipool(argument::s))>);
static_assert(
    is<mallard::concurrent_multipool<source>, decltype(mallard::concurrent_multipool(argument::s, pools))>);
static_assert(is<mallard::concurrent_multipool<source>,
                 decltype(mallard::concurrent_multipool(argument::s, {.largest_pooled_bytes = 64}))>);

static_assert(is<mallard::small_object_pool<>, decltype(mallard::small_object_pool())>);
static_assert(is<mallard::small_object_pool<>, decltype(mallard::small_object_pool(small))>);
static_assert(is<mallard::small_object_pool<source>, decltype(mallard::small_object_pool(argument::s))>);
static_assert(
    is<mallard::small_object_pool<source>, decltype(mallard::small_object_pool(argument::s, small))>);

static_assert(is<mallard::adaptive_pool<>, decltype(mallard::adaptive_pool())>);
static_assert(is<mallard::adaptive_pool<>, decltype(mallard::adaptive_pool(block_size{24}))>);
static_assert(is<mallard::adaptive_pool<>, decltype(mallard::adaptive_pool(nodes))>);
static_assert(is<mallard::adaptive_pool<>, decltype(mallard::adaptive_pool(block_size{24}, nodes))>);
static_assert(is<mallard::adaptive_pool<source>, decltype(mallard::adaptive_pool(argument::s, nodes))>);
static_assert(
    is<mallard::adaptive_pool<source>, decltype(mallard::adaptive_pool(block_size{24}, argument::s, nodes))>);
static_assert(is<mallard::adaptive_pool<source>, decltype(mallard::adaptive_pool(argument::s))>);
static_assert(
    is<mallard::adaptive_pool<source>, decltype(mallard::adaptive_pool(block_size{24}, argument::s))>);
static_assert(
    is<mallard::adaptive_pool<source>, decltype(mallard::adaptive_pool({.bytes = 24}, argument::s))>);

static_assert(is<mallard::heap<>, decltype(mallard::heap())>);
static_assert(is<mallard::heap<>, decltype(mallard::heap(blocks))>);
static_assert(is<mallard::heap<source>, decltype(mallard::heap(argument::s))>);
static_assert(is<mallard::heap<source>, decltype(mallard::heap(argument::s, blocks))>);
static_assert(is<mallard::heap<source>, decltype(mallard::heap(argument::s, {.growth = {.factor = 4}}))>);

static_assert(is<mallard::fixed_pool<>, decltype(mallard::fixed_pool())>);
static_assert(is<mallard::fixed_pool<>, decltype(mallard::fixed_pool(one_size))>);
static_assert(is<mallard::fixed_pool<>, decltype(mallard::fixed_pool(block_size{24}))>);
static_assert(is<mallard::fixed_pool<>, decltype(mallard::fixed_pool(block_size{24}, one_size))>);
static_assert(is<mallard::fixed_pool<mallard::buffer_arena>, decltype(mallard::fixed_pool(argument::bytes))>);
static_assert(is<mallard::fixed_pool<mallard::buffer_arena>, decltype(mallard::fixed_pool(argument::array))>);
static_assert(is<mallard::fixed_pool<mallard::buffer_arena>,
                 decltype(mallard::fixed_pool(block_size{24}, argument::bytes))>);
using over_source = mallard::fixed_pool<mallard::growing_arena<source>>;
static_assert(is<over_source, decltype(mallard::fixed_pool(argument::s))>);
static_assert(is<over_source, decltype(mallard::fixed_pool(argument::s, one_size))>);
static_assert(is<over_source, decltype(mallard::fixed_pool(block_size{24}, argument::s))>);
static_assert(is<over_source, decltype(mallard::fixed_pool(block_size{24}, argument::s, one_size))>);

static_assert(is<mallard::growing_arena<>, decltype(mallard::growing_arena(one_size))>);
static_assert(is<mallard::growing_arena<source>, decltype(mallard::growing_arena(argument::s))>);
static_assert(is<mallard::growing_arena<source>, decltype(mallard::growing_arena(argument::s, one_size))>);
static_assert(is<mallard::single_arena<>, decltype(mallard::single_arena(std::size_t{10}))>);
static_assert(
    is<mallard::single_arena<source>, decltype(mallard::single_arena(std::size_t{10}, argument::s))>);
static_assert(is<mallard::checkpoint<mallard::monotonic<>>, decltype(mallard::checkpoint(argument::arena))>);

template <class... Allocators>
constexpr bool stay_where_they_are =
    ((!std::is_copy_constructible_v<Allocators> && !std::is_move_constructible_v<Allocators>) && ...);
static_assert(stay_where_they_are<mallard::monotonic<>, mallard::multipool<>, mallard::concurrent_multipool<>,
                                  mallard::fixed_pool<>>);

TEST(deduction, makes_allocators_that_work) {
    alignas(16) std::array<std::byte, 1024> room{};
    source upstream;
    mallard::monotonic spilling(std::span<std::byte>(room), upstream);
    mallard::heap heap(mallard::heap_options{});
    mallard::fixed_pool fixed(block_size{24});
    mallard::fixed_pool growing(block_size{24}, upstream, mallard::fixed_pool_options{});
    mallard::adaptive_pool of_a_size(block_size{24});
    const std::array<void*, 5> all{spilling.allocate(24, 8), heap.allocate(24, 8), fixed.allocate(24, 8),
                                   growing.allocate(24, 8), of_a_size.allocate(24, 8)};
    for (void* const p : all) {
        EXPECT_NE(p, nullptr);
    }
}

} // namespace

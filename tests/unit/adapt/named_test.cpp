// Compiled with MALLARD_NAMES=1 and without: the adaptor tests are without, and mallard_named_tests has them.
#include <mallard/adapt/named.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if MALLARD_NAMES
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/run_in_threads.hpp"
#include "process/child.hpp"

#include <mallard/core/sanitizer.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#endif

namespace {

// ---- in both

/// A pool that a type names has no arguments.
struct nodes_pool : mallard::named<mallard::fixed_pool<>> {
    nodes_pool() : named("nodes") {}
};
struct nodes : mallard::per_thread<nodes, nodes_pool> {};

TEST(named, is_an_allocator) {
    using pool_type = mallard::named<mallard::multipool<>>;
    static_assert(mallard::local_allocator<pool_type> && mallard::burst_allocator<pool_type>);
    static_assert(mallard::nothrow_upstream<pool_type>);
    static_assert(mallard::rewindable<mallard::named<mallard::monotonic<>>>);
    static_assert(mallard::expandable<mallard::named<mallard::heap<>>>);
    static_assert(!mallard::thread_safe<pool_type>);
    static_assert(mallard::thread_safe<mallard::named<mallard::concurrent_multipool<>>>);

    pool_type pool("pool", mallard::multipool_options{.largest_pooled_bytes = 100});
    EXPECT_GE(pool.largest_pooled_bytes(), 100U);
    EXPECT_LT(pool.mechanism().largest_pooled_bytes(), 200U);
    pool.reserve(24, 8, 10);
    void* const p = pool.allocate(24, 8);
    EXPECT_TRUE(pool.owns(p));
    pool.deallocate(p, 24, 8);
    pool.deallocate_many(pool.allocate_many(24, 8, 10), 24, 8);
    EXPECT_EQ(pool.stats().upstream_calls, 1U);
    pool.release();
    EXPECT_EQ(pool.stats().chunks, 0U);
}

TEST(named, serves_every_binding) {
    mallard::resource<mallard::named<mallard::multipool<>>> resource("resource");
    const std::pmr::vector<std::pmr::string> by_base(10, "longer than a short string can be", &resource);
    const std::list<int, mallard::inline_allocator<int>> by_inline_base(100, 1, &resource);
    using arena_type = mallard::named<mallard::monotonic<>>;
    arena_type arena("arena");
    const std::list<int, mallard::allocator<int, arena_type>> by_type(100, 1, arena);
    const std::list<int, mallard::static_allocator<int, nodes>> by_tag(100, 1);
    const mallard::checkpoint scratch(arena);
    EXPECT_TRUE(resource.owns(by_base.data()));
    EXPECT_TRUE(resource.owns(&by_inline_base.front()));
    EXPECT_TRUE(arena.owns(&by_type.front()));
    EXPECT_TRUE(nodes::pool().owns(&by_tag.front()));
}

#if MALLARD_NAMES

// ---- the list

using mallard::named_allocator_info;

std::vector<named_allocator_info> list() {
    std::vector<named_allocator_info> all;
    mallard::for_each_named_allocator([&](const named_allocator_info& info) { all.push_back(info); });
    return all;
}

std::vector<std::string> names_of(const std::vector<named_allocator_info>& all) {
    std::vector<std::string> names;
    std::ranges::transform(all, std::back_inserter(names), [](const auto& info) { return info.name; });
    std::erase(names, "nodes"); // of another test, and of a pool that stays
    return names;
}

std::optional<named_allocator_info> find(const std::string& name) {
    for (const named_allocator_info& info : list()) {
        if (info.name == name) {
            return info;
        }
    }
    return std::nullopt;
}

using names = std::vector<std::string>;

TEST(names, are_those_of_living_allocators) {
    EXPECT_EQ(names_of(list()), names());
    {
        mallard::named<mallard::multipool<>> first("first");
        auto* const second = new mallard::named<mallard::monotonic<>>("second");
        const mallard::named<mallard::heap<>> third("third");
        const mallard::named<mallard::multipool<>> same("first");
        EXPECT_EQ(names_of(list()), (names{"first", "second", "third", "first"}));
        EXPECT_EQ(find("first")->address, &first);
        delete second;
        EXPECT_EQ(names_of(list()), (names{"first", "third", "first"}));
    }
    EXPECT_EQ(names_of(list()), names());
}

TEST(names, leave_with_a_constructor_that_throws) {
#ifdef __cpp_exceptions
    struct refusing : mallard::named<mallard::multipool<>> {
        refusing() : named("refusing") { throw std::runtime_error("no"); }
    };
    EXPECT_THROW(refusing(), std::runtime_error);
    EXPECT_EQ(names_of(list()), names());
#endif
}

TEST(names, have_types_without_modes) {
    const mallard::named<mallard::multipool<mallard::new_delete, mallard::last_freed>> pool("typed");
    const std::string_view type = find("typed")->type;
    EXPECT_TRUE(type.starts_with("mallard::multipool<mallard::new_delete, mallard::last_freed")) << type;
    EXPECT_TRUE(type.ends_with(">")) << type;
}

TEST(names, come_with_figures) {
    equipment::ledger source;
    mallard::named<mallard::multipool<equipment::ledger>> pool("figures", source);
    void* const small = pool.allocate(24);
    void* const large = pool.allocate(100'000);
    named_allocator_info info = find("figures").value();
    EXPECT_EQ(info.bytes_in_use, 100'024U);
    ASSERT_TRUE(info.stats);
    EXPECT_EQ(info.stats->chunk_bytes + info.stats->large_bytes, source.outstanding_bytes());
    EXPECT_EQ(info.stats->upstream_calls, 2U);
    pool.deallocate(large, 100'000);
    EXPECT_EQ(find("figures")->bytes_in_use, 24U);
    EXPECT_EQ(find("figures")->peak_bytes, 100'024U);
    EXPECT_EQ(find("figures")->stats->large_bytes, 0U);
    pool.deallocate(small, 24);
    EXPECT_EQ(pool.try_allocate(SIZE_MAX), nullptr);
    EXPECT_EQ(find("figures")->bytes_in_use, 0U);
    static_cast<void>(pool.allocate(8));
    pool.release();
    EXPECT_EQ(find("figures")->bytes_in_use, 0U);
    EXPECT_EQ(find("figures")->stats->chunk_bytes, 0U);
}

TEST(names, of_upstreams_have_no_statistics) {
    mallard::named<mallard::new_delete> source("source");
    mallard::multipool<mallard::named<mallard::new_delete>> pool(source);
    static_cast<void>(pool.allocate(24));
    EXPECT_EQ(find("source")->bytes_in_use, pool.stats().chunk_bytes);
    EXPECT_FALSE(find("source")->stats);
}

TEST(names, are_printed_a_line_each) {
    equipment::ledger source;
    mallard::named<mallard::monotonic<equipment::ledger>> arena("printed", source);
    const mallard::named<mallard::new_delete> unknown("unknown");
    static_cast<void>(arena.allocate(1000));
    testing::internal::CaptureStderr();
    mallard::dump_named_allocators();
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(printed.starts_with("        held       in use         peak  name\n")) << printed;
    EXPECT_NE(printed.find("         1000         1000  printed (mallard::monotonic<"), std::string::npos)
        << printed;
    EXPECT_NE(printed.find("\n           ?            0            0  unknown (mallard::new_delete)\n"),
              std::string::npos)
        << printed;
}

// ---- in the middle of something

TEST(names, are_not_read_again_while_read) {
    const mallard::named<mallard::multipool<>> pool("outer");
    std::size_t inner = 0;
    mallard::for_each_named_allocator([&](const auto&) { inner += list().size(); });
    EXPECT_EQ(inner, 0U);
#ifdef __cpp_exceptions
    EXPECT_THROW(mallard::for_each_named_allocator([](const auto&) { throw std::runtime_error("no"); }),
                 std::runtime_error);
#endif
    EXPECT_TRUE(find("outer")) << "the list is free again";
}

std::size_t seen_in_handler;
std::size_t figures_in_handler;

/// The handler runs in an operation of the allocator, under the lock of one that threads share.
template <class Pool>
void expect_list_in_handler() {
    equipment::ledger source;
    mallard::named<Pool> pool("failing", source);
    const mallard::named<mallard::multipool<>> other("other");
    static_cast<void>(pool.allocate(24, 8));
    seen_in_handler = figures_in_handler = 0;
    const auto before = mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept {
        mallard::for_each_named_allocator([](const named_allocator_info& info) {
            seen_in_handler += info.name == std::string_view("nodes") ? 0U : 1U;
            figures_in_handler += info.stats && info.name != std::string_view("nodes") ? 1U : 0U;
        });
    });
    source.refuse_above(100);
#ifdef __cpp_exceptions
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(20'000, 8)));
    EXPECT_EQ(seen_in_handler, 2U);
    EXPECT_EQ(figures_in_handler, 1U) << "of the other allocator";
#endif
    mallard::set_out_of_memory_handler(before);
    EXPECT_TRUE(find("failing")->stats) << "afterwards";
}

TEST(names, are_there_in_a_handler) {
    expect_list_in_handler<mallard::multipool<equipment::ledger>>();
    expect_list_in_handler<mallard::monotonic<equipment::ledger>>();
    expect_list_in_handler<mallard::concurrent_multipool<equipment::ledger>>();
    expect_list_in_handler<mallard::synchronized<mallard::multipool<equipment::ledger>>>();
    expect_list_in_handler<mallard::checked<mallard::concurrent_multipool<equipment::ledger>>>();
}

// ---- threads

TEST(names_of_threads, include_their_own_pools) {
    const std::list<int, mallard::static_allocator<int, nodes>> numbers(10, 1);
    EXPECT_GE(find("nodes")->bytes_in_use, 10 * sizeof(int));
    std::thread([] { // another pool, which ends with the thread
        const std::list<int, mallard::static_allocator<int, nodes>> more(1, 1);
        EXPECT_EQ(std::ranges::count(list(), std::string_view("nodes"),
                                     [](const auto& info) { return std::string_view(info.name); }),
                  2);
    })
        .join();
}

TEST(names_of_threads, are_read_at_any_time) {
    constexpr int threads = 4;
    constexpr int rounds = 200;
    mallard::named<mallard::concurrent_multipool<>> shared("shared");
    std::atomic<int> finished = 0;
    std::atomic<bool> wrong = false;
    equipment::run_in_threads(threads + 1, [&](int id) {
        if (id == threads) {
            while (finished != threads) {
                mallard::for_each_named_allocator([&](const named_allocator_info& info) {
                    wrong = wrong || info.bytes_in_use > info.peak_bytes || info.name == nullptr;
                });
            }
            return;
        }
        for (int round = 0; round != rounds; ++round) {
            mallard::named<mallard::multipool<>> mine("mine");
            mallard::named<mallard::monotonic<>> arena("arena");
            void* blocks[50];
            for (void*& p : blocks) {
                p = mine.allocate(100);
                static_cast<void>(arena.allocate(40));
                shared.deallocate(shared.allocate(24), 24);
            }
            for (void* const p : blocks) {
                mine.deallocate(p, 100);
            }
        }
        ++finished;
    });
    EXPECT_FALSE(wrong);
    EXPECT_EQ(names_of(list()), names{"shared"});
    EXPECT_EQ(find("shared")->bytes_in_use, 0U);
}

#ifndef MALLARD_ASAN // some runtimes leave its locks held in the child

TEST(names_of_threads, survive_forks) {
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop) {
            mallard::named<mallard::multipool<>> pool("of the other thread");
            static_cast<void>(pool.allocate(24));
        }
    });
    for (int i = 0; i != 40; ++i) {
        EXPECT_EQ(process::run_in_child([] {
                      const mallard::named<mallard::multipool<>> pool("of the child");
                      return find("of the child") && find("of the child")->stats ? 0 : 1;
                  }),
                  process::ending::by_itself_with(0));
    }
    stop = true;
    other.join();
}

#endif

#else

// ---- without names

template <class A>
constexpr bool leaves_no_trace =
    sizeof(mallard::named<A>) == sizeof(A) && alignof(mallard::named<A>) == alignof(A) &&
    std::is_trivially_destructible_v<mallard::named<A>> == std::is_trivially_destructible_v<A> &&
    mallard::core::has_front<mallard::named<A>> == mallard::core::has_front<A>;

static_assert(leaves_no_trace<mallard::multipool<>> && leaves_no_trace<mallard::monotonic<>> &&
              leaves_no_trace<mallard::heap<>> && leaves_no_trace<mallard::concurrent_multipool<>> &&
              leaves_no_trace<mallard::fixed_pool<mallard::static_arena<256>>> &&
              leaves_no_trace<mallard::chunk_cache>);

TEST(named, has_no_list) {
    const mallard::named<mallard::multipool<>> pool("nameless");
    int listed = 0;
    mallard::for_each_named_allocator([&](const mallard::named_allocator_info&) { ++listed; });
    EXPECT_EQ(listed, 0);
    testing::internal::CaptureStderr();
    mallard::dump_named_allocators();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(named, may_be_constant_initialised) {
    static constinit mallard::named<mallard::fixed_pool_for<long, mallard::static_arena<256>>> pool("static");
    EXPECT_TRUE(pool.owns(pool.allocate_block()));
    pool.release();
}

#endif

} // namespace

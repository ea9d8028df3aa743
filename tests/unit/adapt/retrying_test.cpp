#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/retrying.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <list>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using equipment::ledger;

using giving_up = bool (*)(std::size_t, std::size_t) noexcept;
static_assert(mallard::thread_safe<mallard::retrying<mallard::new_delete>>);
static_assert(!mallard::thread_safe<mallard::retrying<mallard::multipool<>>>);
static_assert(mallard::local_allocator<mallard::retrying<mallard::multipool<>>>);
static_assert(std::is_constructible_v<mallard::retrying<mallard::new_delete>, giving_up>);

/// Lets the source grant requests again after some calls, and gives up after some more.
struct helper {
    ledger* source = nullptr;
    int helps_at = 0;
    int gives_up_at = 100;
    int* calls = nullptr;
    std::size_t* bytes = nullptr;

    bool operator()(std::size_t requested_bytes, std::size_t) noexcept {
        *bytes = requested_bytes;
        if (++*calls == helps_at) {
            source->fail({.at = 0});
        }
        return *calls < gives_up_at;
    }
};

class retrying : public ::testing::Test {
protected:
    ~retrying() override { EXPECT_EQ(source_.complaints(), equipment::no_complaints); }

    [[nodiscard]] helper helping_at(int call, int gives_up_at = 100) noexcept {
        return {&source_, call, gives_up_at, &calls_, &bytes_};
    }

    ledger source_;
    int calls_ = 0;
    std::size_t bytes_ = 0;
};

TEST_F(retrying, calls_nothing_as_long_as_there_is_memory) {
    mallard::retrying<ledger&, helper> memory(helping_at(1), source_);
    memory.deallocate(memory.allocate(100, 8), 100, 8);
    EXPECT_EQ(calls_, 0);
    EXPECT_EQ(source_.granted().size(), 1U);
}

#ifdef __cpp_exceptions

TEST_F(retrying, repeats_a_request_until_room_is_made) {
    mallard::retrying<ledger&, helper> memory(helping_at(3), source_);
    source_.fail({.at = 1, .for_ever = true});
    void* const p = memory.allocate(100, 8);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(calls_, 3);
    EXPECT_EQ(bytes_, 100U);
    memory.deallocate(p, 100, 8);
}

TEST_F(retrying, fails_as_the_mechanism_after_the_function_gave_up) {
    static std::size_t failed_bytes;
    static int failures;
    failed_bytes = 0;
    failures = 0;
    const auto before = mallard::set_out_of_memory_handler([](std::size_t bytes, std::size_t) noexcept {
        failed_bytes = bytes;
        ++failures;
    });
    mallard::retrying<mallard::limited<mallard::multipool<>>, helper> pool(helping_at(0, 4),
                                                                           std::size_t{100});
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(101, 8)));
    mallard::set_out_of_memory_handler(before);
    EXPECT_EQ(calls_, 4);
    EXPECT_EQ(failed_bytes, 101U);
    EXPECT_EQ(failures, 1) << "of the last request";
    EXPECT_FALSE(mallard::core::quiet_failures::expected());
}

TEST_F(retrying, is_quiet_only_while_it_asks) {
    bool was_quiet = true;
    auto look = [&was_quiet](std::size_t, std::size_t) noexcept {
        was_quiet = mallard::core::quiet_failures::expected();
        return false;
    };
    mallard::retrying<mallard::limited<mallard::multipool<>>, decltype(look)> pool(look, std::size_t{1});
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(8, 8)));
    EXPECT_FALSE(was_quiet) << "the function may allocate elsewhere";
}

TEST_F(retrying, calls_nothing_for_what_can_never_be_served) {
    mallard::retrying<mallard::fixed_pool<>, helper> pool(helping_at(1), mallard::block_size{.bytes = 64});
    EXPECT_THROW(static_cast<void>(pool.allocate(65, 8)), mallard::refused_request);
    EXPECT_EQ(calls_, 0);
}

/// An upstream whose failure is no want of memory.
struct broken {
    static void* allocate(std::size_t, std::size_t) { throw std::runtime_error("broken"); }
    static void deallocate(void*, std::size_t, std::size_t) noexcept {}
};

TEST_F(retrying, lets_other_exceptions_pass) {
    mallard::retrying<broken, helper> memory(helping_at(1));
    EXPECT_THROW(static_cast<void>(memory.allocate(8, 8)), std::runtime_error);
    EXPECT_EQ(calls_, 0);
}

TEST_F(retrying, repeats_bursts_and_reserves) {
    mallard::retrying<mallard::multipool<ledger>, helper> pool(helping_at(1), source_);
    source_.fail({.at = 1, .for_ever = true});
    mallard::block_chain blocks = pool.allocate_many(24, 8, 10);
    EXPECT_EQ(calls_, 1);
    EXPECT_EQ(blocks.size(), 10U);
    EXPECT_EQ(bytes_, 24U);
    pool.deallocate_many(std::move(blocks), 24, 8);
    source_.fail({.at = 1, .for_ever = true});
    calls_ = 0;
    pool.reserve(1000, 8, 10);
    EXPECT_EQ(calls_, 1);
    pool.release();

    mallard::retrying<mallard::heap<ledger>, helper> heap(helping_at(1), source_);
    source_.fail({.at = 1, .for_ever = true});
    calls_ = 0;
    const std::size_t sizes[] = {32, 600, 300};
    blocks = heap.allocate_many(sizes);
    EXPECT_EQ(calls_, 1);
    EXPECT_EQ(bytes_, 32U);
    heap.deallocate_many(std::move(blocks));
}

TEST_F(retrying, repeats_growth_that_needs_a_fresh_block) {
    mallard::retrying<mallard::failing<equipment::plots>, helper> blocks(helping_at(0, 2),
                                                                         mallard::failure_plan{.at = 0});
    const mallard::sized_block block = blocks.allocate_at_least(20);
    blocks.mechanism().plan({.at = 1});
    const mallard::expansion_request in_place{
        .least_bytes = 100, .preferred_bytes = 100, .allowed = mallard::expansion::in_place};
    EXPECT_EQ(blocks.expand(block.p, in_place).p, nullptr);
    EXPECT_EQ(calls_, 0) << "not a failure";
    blocks.mechanism().plan({.at = 1});
    const mallard::expansion_result fresh =
        blocks.expand(block.p, {.least_bytes = 20, .preferred_bytes = 20});
    EXPECT_NE(fresh.p, nullptr);
    EXPECT_EQ(calls_, 1);
    calls_ = 0;
    blocks.mechanism().plan({.at = 1});
    const mallard::sized_block another = blocks.allocate_at_least(20);
    EXPECT_EQ(calls_, 1);
    blocks.deallocate(another.p, another.bytes);
    if (fresh.p != block.p) {
        blocks.deallocate(fresh.p, fresh.bytes);
    }
    blocks.deallocate(block.p, 20);
}

/// A cache with a budget: it drops its oldest entries.
struct cache {
    using pool_type = mallard::retrying<mallard::limited<mallard::multipool<>>>;
    static inline std::list<void*> entries;
    static inline pool_type* pool = nullptr;

    static bool evict(std::size_t, std::size_t) noexcept {
        if (entries.empty()) {
            return false;
        }
        pool->deallocate(entries.front(), 100, 8);
        entries.pop_front();
        return true;
    }
};

TEST_F(retrying, evicts_from_its_own_allocator) {
    cache::pool_type pool(cache::evict, std::size_t{1000});
    cache::pool = &pool;
    for (int i = 0; i != 100; ++i) {
        cache::entries.push_back(pool.allocate(100, 8));
    }
    EXPECT_EQ(cache::entries.size(), 10U);
    EXPECT_EQ(pool.mechanism().bytes_in_use(), 1000U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(1001, 8)));
    EXPECT_TRUE(cache::entries.empty());
}

#endif

/// In every build.
TEST_F(retrying, repeats_quiet_requests) {
    mallard::retrying<mallard::limited<mallard::multipool<>>, helper> pool(helping_at(0, 3),
                                                                           std::size_t{100});
    EXPECT_EQ(pool.try_allocate(101, 8), nullptr);
    EXPECT_EQ(calls_, 3);
    void* const p = pool.try_allocate(100, 8);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(calls_, 3);
    pool.deallocate(p, 100, 8);
}

/// As above, but the program cannot throw: the mechanism has try_allocate() down to the source.
TEST_F(retrying, repeats_requests_that_may_end_the_program) {
    using pool_type = mallard::limited<mallard::multipool<>>;
    static void* hoard;
    static mallard::retrying<pool_type>* current;
    mallard::retrying<pool_type> pool(
        [](std::size_t, std::size_t) noexcept {
            if (hoard == nullptr) {
                return false;
            }
            current->deallocate(std::exchange(hoard, nullptr), 100, 8);
            return true;
        },
        std::size_t{100});
    current = &pool;
    hoard = pool.allocate(100, 8);
    void* const p = pool.allocate(60, 8);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(hoard, nullptr);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(60, 8)));
    pool.deallocate(p, 60, 8);
}

TEST_F(retrying, is_shared_by_threads) {
    static std::atomic<int> calls;
    calls = 0;
    mallard::retrying<mallard::limited<mallard::concurrent_multipool<>>> pool(
        [](std::size_t, std::size_t) noexcept { return ++calls % 2 != 0; }, std::size_t{8});
    const auto ask = [&pool] {
        for (int i = 0; i != 1000; ++i) {
            EXPECT_EQ(pool.try_allocate(9, 8), nullptr);
        }
    };
    std::thread other(ask);
    ask();
    other.join();
    EXPECT_GE(calls, 2000);
}

} // namespace

#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "model/random_source.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/limited.hpp>
#include <mallard/bind/c_functions.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/upstream_ref.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using equipment::ledger;
using mallard::c_functions;
using mallard::sized_c_functions;

constexpr std::size_t most_bytes = SIZE_MAX;

/// A pool of blocks with room for a header.
template <class Source>
struct large_blocks : mallard::fixed_pool<mallard::growing_arena<Source>> {
    explicit large_blocks(Source& source)
        : mallard::fixed_pool<mallard::growing_arena<Source>>(mallard::block_size{4096, 16}, source) {}
};

#ifdef __cpp_exceptions
/// An upstream that reports a failure only by an exception.
class base_of_ledger : public std::pmr::memory_resource {
public:
    explicit base_of_ledger(ledger& source) : source_(source) {}

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return source_.allocate(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        source_.deallocate(p, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    ledger& source_;
};
#endif

// ---- the types of hooks

struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};
struct shared_nodes : mallard::shared_by_threads<shared_nodes, mallard::concurrent_multipool<>> {};
struct blocks_of_threads : mallard::per_thread<blocks_of_threads, mallard::heap<>> {};

TEST(c_functions, fit_hooks_with_a_context) {
    using functions = c_functions<mallard::multipool<>>;
    void* (*const zalloc)(void*, unsigned, unsigned) = functions::malloc;
    void* (*const bzalloc)(void*, int, int) = functions::malloc;
    void (*const zfree)(void*, void*) = functions::free;
    void* (*const of_yyjson)(void*, std::size_t) = functions::malloc;
    void* (*const with_old_size)(void*, void*, std::size_t, std::size_t) = functions::realloc;
    void* (*const without)(void*, void*, std::size_t) = functions::realloc;
    void* (*const zeros)(void*, std::size_t, std::size_t) = functions::calloc;
    void* (*const lua_alloc)(void*, void*, std::size_t, std::size_t) =
        sized_c_functions<mallard::multipool<>>::realloc;

    mallard::multipool<> pool;
    for (void* const p :
         {zalloc(&pool, 2, 40), bzalloc(&pool, 2, 40), of_yyjson(&pool, 80), zeros(&pool, 2, 40)}) {
        std::memset(p, 1, 80);
        void* const larger = without(&pool, with_old_size(&pool, p, 80, 200), 300);
        EXPECT_EQ(static_cast<char*>(larger)[79], 1);
        zfree(&pool, larger);
    }
    void* const p = lua_alloc(&pool, lua_alloc(&pool, nullptr, 5, 80), 80, 800);
    EXPECT_EQ(lua_alloc(&pool, p, 800, 0), nullptr);
}

TEST(c_functions, fit_hooks_without_a_context) {
    using functions = c_functions<nodes>;
    void* (*const of_expat)(std::size_t) = functions::malloc;
    void* (*const of_sqlite)(int) = functions::malloc;
    void* (*const int_realloc)(void*, int) = functions::realloc;
    int (*const int_size)(void*) = functions::usable_bytes;
    void* (*const calloc)(std::size_t, std::size_t) = functions::calloc;
    void* (*const realloc)(void*, std::size_t) = functions::realloc;
    void (*const free)(void*) = functions::free;
    char* (*const strdup)(const char*) = functions::strdup;
    void* (*const of_openssl)(std::size_t, const char*, int) = [](std::size_t bytes, const char*, int) {
        return functions::malloc(bytes);
    };

    for (void* const p : {of_expat(80), of_sqlite(80), calloc(2, 40), of_openssl(80, "file", 1)}) {
        EXPECT_GE(int_size(p), 80);
        free(realloc(int_realloc(p, 160), 320));
    }
    EXPECT_EQ(int_size(nullptr), 0);
    char* const text = strdup("a text");
    EXPECT_STREQ(text, "a text");
    free(text);
}

TEST(c_functions, fit_hooks_that_pass_sizes) {
    using functions = sized_c_functions<nodes>; // those of GMP
    void* (*const malloc)(std::size_t) = functions::malloc;
    void* (*const realloc)(void*, std::size_t, std::size_t) = functions::realloc;
    void (*const free)(void*, std::size_t) = functions::free;
    void* const p = realloc(malloc(8), 8, 4000);
    std::memset(p, 1, 4000);
    free(p, 4000);
    free(nullptr, 0);
}

// ---- blocks of any allocator

template <class A>
class c_blocks : public equipment::on_ledger {
protected:
    A allocator_{source_};
    void* const context_ = &allocator_;
};

struct limited_pool : mallard::limited<mallard::multipool<ledger>> {
    explicit limited_pool(ledger& source)
        : mallard::limited<mallard::multipool<ledger>>(std::size_t{1} << 26, source) {}
};

using allocators =
    testing::Types<mallard::multipool<ledger>, mallard::heap<ledger>, mallard::monotonic<ledger>,
                   mallard::concurrent_multipool<ledger>, mallard::checked<mallard::heap<ledger>>,
#ifdef __cpp_exceptions
                   base_of_ledger,
#endif
                   limited_pool, large_blocks<ledger>, mallard::upstream_ref>;
TYPED_TEST_SUITE(c_blocks, allocators);

/// Random calls on up to a hundred blocks, of which each knows the byte that fills it.
template <class Malloc, class Realloc, class Free>
void call_at_random(std::size_t most, Malloc malloc, Realloc realloc, Free free) {
    struct block {
        std::byte* p;
        std::size_t bytes;
        std::byte fill;

        void expect_contents(std::size_t some) const {
            ASSERT_TRUE(std::all_of(p, p + some, [this](std::byte b) { return b == fill; }));
        }
    };
    model::random_source random(std::uint64_t{50});
    std::vector<block> blocks;
    for (unsigned turn = 0; turn != 4000; ++turn) {
        const std::size_t bytes = 1 + (random.one_in(4) ? random.below(most) : random.below(100));
        const auto fill = static_cast<std::byte>(turn);
        if (blocks.empty() || (blocks.size() < 100 && random.one_in(3))) {
            void* const p = malloc(bytes);
            ASSERT_NE(p, nullptr);
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % mallard::fundamental_alignment, 0U);
            blocks.push_back({static_cast<std::byte*>(p), bytes, fill});
        } else {
            std::swap(blocks[random.below(blocks.size())], blocks.back());
            block& chosen = blocks.back();
            chosen.expect_contents(chosen.bytes);
            if (random.one_in(3)) {
                free(chosen.p, chosen.bytes);
                blocks.pop_back();
                continue;
            }
            void* const p = realloc(chosen.p, chosen.bytes, bytes);
            ASSERT_NE(p, nullptr);
            chosen.p = static_cast<std::byte*>(p);
            chosen.expect_contents(std::min(chosen.bytes, bytes));
            chosen.bytes = bytes;
            chosen.fill = fill;
        }
        std::memset(blocks.back().p, static_cast<int>(blocks.back().fill), blocks.back().bytes);
    }
    for (const block& last : blocks) {
        last.expect_contents(last.bytes);
        free(last.p, last.bytes);
    }
}

TYPED_TEST(c_blocks, keep_contents_without_sizes) {
    using functions = c_functions<TypeParam>;
    call_at_random(
        4000, [&](std::size_t bytes) { return functions::malloc(this->context_, bytes); },
        [&](void* p, std::size_t, std::size_t bytes) { return functions::realloc(this->context_, p, bytes); },
        [&](void* p, std::size_t) { functions::free(this->context_, p); });
}

TYPED_TEST(c_blocks, keep_contents_with_sizes) {
    using functions = sized_c_functions<TypeParam>;
    call_at_random(
        4000, [&](std::size_t bytes) { return functions::malloc(this->context_, bytes); },
        [&](void* p, std::size_t old_bytes, std::size_t bytes) {
            return functions::realloc(this->context_, p, old_bytes, bytes);
        },
        [&](void* p, std::size_t bytes) { functions::free(this->context_, p, bytes); });
}

TYPED_TEST(c_blocks, return_null_without_memory) {
    using functions = c_functions<TypeParam>;
    auto* const p = static_cast<char*>(functions::malloc(this->context_, std::size_t{100}));
    std::memset(p, 7, 100);
    this->source_.refuse_above(0);
    for (const std::size_t bytes : {std::size_t{1} << 27, most_bytes / 2, most_bytes - 8, most_bytes}) {
        EXPECT_EQ(functions::malloc(this->context_, bytes), nullptr);
        EXPECT_EQ(functions::calloc(this->context_, std::size_t{1}, bytes), nullptr);
        EXPECT_EQ(functions::realloc(this->context_, p, bytes), nullptr);
        EXPECT_EQ(functions::realloc(this->context_, nullptr, bytes), nullptr);
    }
    EXPECT_EQ(p[99], 7) << "the block lives";
    functions::free(this->context_, p);
}

TYPED_TEST(c_blocks, return_null_without_memory_for_sizes) {
    using functions = sized_c_functions<TypeParam>;
    auto* const p = static_cast<char*>(functions::malloc(this->context_, std::size_t{100}));
    std::memset(p, 7, 100);
    this->source_.refuse_above(0);
    for (const std::size_t bytes : {std::size_t{1} << 27, most_bytes - 8, most_bytes}) {
        EXPECT_EQ(functions::malloc(this->context_, bytes), nullptr);
        EXPECT_EQ(functions::realloc(this->context_, p, std::size_t{100}, bytes), nullptr);
    }
    EXPECT_EQ(p[99], 7) << "the block lives";
    functions::free(this->context_, p, std::size_t{100});
}

TYPED_TEST(c_blocks, refuse_sizes_that_wrap) {
    using functions = c_functions<TypeParam>;
    constexpr std::size_t half = most_bytes / 2 + 1;
    EXPECT_EQ(functions::calloc(this->context_, half, std::size_t{2}), nullptr) << "0, if it wrapped";
    EXPECT_EQ(functions::malloc(this->context_, half, std::size_t{2}), nullptr);
    EXPECT_EQ(functions::calloc(this->context_, std::size_t{3}, half), nullptr);
    EXPECT_EQ(functions::malloc(this->context_, -1), nullptr);
    EXPECT_EQ(functions::malloc(this->context_, LONG_MIN), nullptr);
    EXPECT_EQ(functions::malloc(this->context_, -1, -1), nullptr);
    EXPECT_EQ(functions::malloc(this->context_, -2, 1), nullptr);
    void* const p = functions::malloc(this->context_, INT_MAX, 0);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(functions::realloc(this->context_, p, -1), nullptr);
    functions::free(this->context_, p);
}

TYPED_TEST(c_blocks, serve_no_bytes_as_c_does) {
    using functions = c_functions<TypeParam>;
    void* const first = functions::malloc(this->context_, 0);
    void* const second = functions::calloc(this->context_, 0, 8);
    void* const third = functions::realloc(this->context_, nullptr, 0);
    EXPECT_TRUE(first != nullptr && second != nullptr && third != nullptr);
    EXPECT_TRUE(first != second && second != third && first != third);
    EXPECT_EQ(functions::realloc(this->context_, first, 0), nullptr) << "deallocates it";
    functions::free(this->context_, second);
    auto* const grown = static_cast<char*>(functions::realloc(this->context_, third, 100));
    std::memset(grown, 1, 100);
    functions::free(this->context_, grown);
    functions::free(this->context_, nullptr);

    using sized = sized_c_functions<TypeParam>;
    EXPECT_EQ(sized::realloc(this->context_, nullptr, 6, 0), nullptr) << "as Lua calls it";
    sized::free(this->context_, nullptr, 100);
}

TYPED_TEST(c_blocks, fill_arrays_with_zeros) {
    using functions = c_functions<TypeParam>;
    for (int turn = 0; turn != 3; ++turn) { // also in memory that was used
        auto* const p = static_cast<char*>(functions::calloc(this->context_, 10, 30));
        EXPECT_TRUE(std::all_of(p, p + 300, [](char c) { return c == 0; }));
        std::memset(p, 1, 300);
        functions::free(this->context_, p);
    }
}

// ---- growth in place

TEST(c_functions, grow_last_block_of_an_arena) {
    ledger source;
    mallard::monotonic<ledger> arena(std::size_t{1} << 16, source);
    using functions = c_functions<mallard::monotonic<ledger>>;
    void* const p = functions::malloc(&arena, 100);
    std::memset(p, 1, 100);
    EXPECT_EQ(functions::realloc(&arena, p, 5000), p);
    std::memset(p, 1, 5000);
    EXPECT_EQ(functions::realloc(&arena, p, 50), p);
    void* const next = functions::malloc(&arena, 1);
    EXPECT_LE(static_cast<char*>(next) - static_cast<char*>(p), 80) << "50 bytes, rounded, and a header";
    EXPECT_NE(functions::realloc(&arena, p, 60), p) << "no longer the last";

    using sized = sized_c_functions<mallard::monotonic<ledger>>;
    void* const last = sized::malloc(&arena, 100);
    EXPECT_EQ(sized::realloc(&arena, last, 100, 5000), last);
}

TEST(c_functions, grow_blocks_of_a_heap) {
    ledger source;
    mallard::heap<ledger> heap(source);
    using functions = c_functions<mallard::heap<ledger>>;
    void* const p = functions::malloc(&heap, 1000);
    EXPECT_EQ(functions::realloc(&heap, p, 2000), p);
    EXPECT_EQ(functions::realloc(&heap, p, 500), p);
    EXPECT_LT(heap.usable_bytes(p), 1000U);
    void* const next = functions::malloc(&heap, 1000);
    EXPECT_NE(functions::realloc(&heap, p, 3000), p) << "in front of the next block";
    EXPECT_EQ(heap.usable_bytes(next) / 16, 1000U / 16);
}

TEST(c_functions, keep_blocks_that_shrink_little) {
    mallard::multipool<> pool;
    using functions = c_functions<mallard::multipool<>>;
    void* const p = functions::malloc(&pool, 1000);
    EXPECT_EQ(functions::realloc(&pool, p, 500), p);
    EXPECT_EQ(functions::realloc(&pool, p, 1000), p);
    void* const small = functions::realloc(&pool, p, 499);
    EXPECT_NE(small, p);
    functions::free(&pool, small);

    using sized = sized_c_functions<mallard::multipool<>>;
    void* const block = sized::malloc(&pool, 1000);
    EXPECT_EQ(sized::realloc(&pool, block, 1000, 1000), block);
    void* const other = sized::realloc(&pool, block, 1000, 900);
    EXPECT_NE(other, block) << "its size comes back, and tells its class";
    sized::free(&pool, other, 900);
}

// ---- sizes

TEST(c_functions, place_a_header_only_where_needed) {
    ledger source;
    const auto bytes_of = [&source] { return source.granted().back().bytes; };
    void* p = c_functions<ledger>::malloc(&source, 100);
    EXPECT_EQ(bytes_of(), 100 + mallard::fundamental_alignment);
    c_functions<ledger>::free(&source, p);
    p = sized_c_functions<ledger>::malloc(&source, 100);
    EXPECT_EQ(bytes_of(), 100U);
    sized_c_functions<ledger>::free(&source, p, 100);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(c_functions, know_the_bytes_of_blocks) {
    void* p = c_functions<nodes>::malloc(100);
    EXPECT_EQ(c_functions<nodes>::usable_bytes<std::size_t>(p), 100U);
    c_functions<nodes>::free(p);
    p = c_functions<blocks_of_threads>::malloc(100);
    EXPECT_GE(c_functions<blocks_of_threads>::usable_bytes<int>(p), 100);
    c_functions<blocks_of_threads>::free(p);
}

/// As SQLite declares them.
struct memory_methods {
    void* (*allocate)(int);
    void (*deallocate)(void*);
    void* (*reallocate)(void*, int);
    int (*size)(void*);
    int (*round_up)(int);
    int (*begin)(void*);
    void (*end)(void*);
    void* data;
};

TEST(c_functions, make_all_hooks_of_sqlite) {
    constexpr auto hooks = c_functions<nodes>::sqlite_methods<memory_methods>();
    EXPECT_EQ(hooks.begin(hooks.data), 0);
    EXPECT_EQ(hooks.round_up(0), 0);
    EXPECT_EQ(hooks.round_up(17), 24);
    EXPECT_EQ(hooks.round_up(24), 24);
    void* const p = hooks.reallocate(hooks.allocate(10), 100);
    EXPECT_GE(hooks.size(p), 100);
    hooks.deallocate(p);
    hooks.end(hooks.data);
}

// ---- failure, threads and misuse

/// Fails each request in turn, until none is left that can fail.
TEST(c_functions, survive_every_failure) {
    using functions = c_functions<mallard::multipool<ledger>>;
    for (std::size_t k = 1;; ++k) {
        ledger source;
        mallard::multipool<ledger> pool(source);
        source.fail({.at = k});
        void* p = functions::malloc(&pool, 10);
        for (int bytes = 100; bytes < 100'000; bytes *= 3) {
            void* const larger = functions::realloc(&pool, p, bytes);
            p = larger != nullptr ? larger : p;
            functions::free(&pool, functions::calloc(&pool, bytes, 2));
        }
        functions::free(&pool, p);
        if (!source.failed()) {
            EXPECT_GT(k, 3U);
            break;
        }
    }
}

TEST(c_functions, serve_threads_by_a_tag) {
    using functions = c_functions<shared_nodes>;
    std::vector<void*> blocks(1000);
    std::thread([&blocks] {
        for (void*& p : blocks) {
            p = functions::realloc(functions::malloc(40), 100);
        }
    }).join();
    std::thread other([] {
        for (int turn = 0; turn != 1000; ++turn) {
            functions::free(functions::strdup("another thread"));
        }
    });
    for (void* const p : blocks) {
        functions::free(p);
    }
    other.join();
}

TEST(c_functions, report_double_free_in_checked_builds) {
    mallard::checked<mallard::multipool<>> pool;
    using functions = c_functions<decltype(pool)>;
    void* const p = functions::malloc(&pool, 100);
    functions::free(&pool, p);
    EXPECT_DEATH(functions::free(&pool, p), "double free|poison");
}

TEST(c_functions, report_writes_in_front_of_blocks) {
    mallard::checked<mallard::multipool<>> pool;
    using functions = c_functions<decltype(pool)>;
    auto* const p = static_cast<char*>(functions::malloc(&pool, 100));
    EXPECT_DEATH(
        {
            std::memset(p - mallard::fundamental_alignment, 1, mallard::fundamental_alignment);
            functions::free(&pool, p);
        },
        "wrong size|poison");
    functions::free(&pool, p);
}

} // namespace

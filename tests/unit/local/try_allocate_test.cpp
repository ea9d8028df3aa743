// try_allocate() over an upstream that fails quietly, with exceptions and without: the program goes on in any case.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using upstream = mallard::failing<mallard::new_delete>;

template <class A>
class try_allocate : public ::testing::Test {};

struct large_fixed_pool : mallard::fixed_pool<mallard::growing_arena<upstream>> {
    explicit large_fixed_pool(upstream& source)
        : mallard::fixed_pool<mallard::growing_arena<upstream>>(mallard::block_size{40000, 128}, source) {}
};

struct fixed_pool_in_one_room : mallard::fixed_pool<mallard::single_arena<upstream>> {
    explicit fixed_pool_in_one_room(upstream& source)
        : mallard::fixed_pool<mallard::single_arena<upstream>>(mallard::block_size{40000, 128},
                                                               std::size_t{64}, source) {}
};

using mechanisms =
    ::testing::Types<mallard::monotonic<upstream>, mallard::multipool<upstream>,
                     mallard::small_object_pool<upstream>, mallard::adaptive_pool<upstream>,
                     mallard::concurrent_multipool<upstream>, mallard::heap<upstream>, large_fixed_pool,
                     fixed_pool_in_one_room, mallard::counted<mallard::monotonic<upstream>>>;
TYPED_TEST_SUITE(try_allocate, mechanisms);

/// Allocates and frees blocks of many sizes.
/// Returns: the number of requests that failed.
template <class A>
std::size_t run(A& allocator) {
    struct block {
        void* p;
        std::size_t bytes;
        std::size_t alignment;
    };
    std::vector<block> blocks;
    std::size_t failures = 0;
    for (std::size_t i = 0; i < 48; ++i) {
        const std::size_t alignment = i % 7 == 0 ? 128 : 8;
        const std::size_t bytes = i % 13 == 0 ? 39000 + i : 1 + i * i * 3;
        void* const p = allocator.try_allocate(bytes, alignment);
        failures += static_cast<std::size_t>(p == nullptr);
        if (p != nullptr) {
            EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
            std::memset(p, 1, bytes);
            blocks.push_back({p, bytes, alignment});
        }
        if (i % 3 == 2 && !blocks.empty()) {
            allocator.deallocate(blocks.front().p, blocks.front().bytes, blocks.front().alignment);
            blocks.erase(blocks.begin());
        }
    }
    for (const block& b : blocks) {
        allocator.deallocate(b.p, b.bytes, b.alignment);
    }
    return failures;
}

TYPED_TEST(try_allocate, survives_every_failure_of_the_upstream) {
    static_assert(mallard::nothrow_upstream<TypeParam>);
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ADD_FAILURE(); });
    for (const bool for_ever : {false, true}) {
        bool failed = true;
        for (std::size_t at = 1; failed; ++at) {
            upstream source(mallard::failure_plan{.at = at, .for_ever = for_ever});
            TypeParam allocator(source);
            const std::size_t failures = run(allocator);
            failed = source.failed();
            EXPECT_TRUE(failed || failures == 0) << "request " << at;
            EXPECT_TRUE(!failed || !for_ever || failures != 0) << "request " << at;
            source.plan({.at = 0});
            EXPECT_EQ(run(allocator), 0U) << "memory is available again after request " << at;
            ASSERT_LT(at, 1000U);
        }
    }
    mallard::set_out_of_memory_handler(nullptr);
}

} // namespace

// Pools with options that no reader of the documentation would write.

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#ifdef __cpp_exceptions

namespace {

/// An upstream that writes nothing to its blocks, however large, and refuses absurd sizes.
class plain_upstream {
public:
    struct request {
        std::size_t bytes;
        std::size_t alignment;
    };

    static constexpr std::size_t most_bytes = std::size_t{1} << 26;

    void* allocate(std::size_t bytes, std::size_t alignment) {
        if (bytes > most_bytes) {
            mallard::core::fail_allocation(bytes, alignment);
        }
        void* const p = mallard::new_delete::allocate(bytes, alignment);
        granted_.push_back({bytes, alignment});
        ++outstanding_;
        return p;
    }

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        mallard::new_delete::deallocate(p, bytes, alignment);
        --outstanding_;
    }

    [[nodiscard]] const std::vector<request>& granted() const noexcept { return granted_; }
    [[nodiscard]] std::size_t outstanding() const noexcept { return outstanding_; }

private:
    std::vector<request> granted_;
    std::size_t outstanding_ = 0;
};

using mallard::block_size;
using mallard::multipool_options;
using mallard::small_object_pool_options;

const std::size_t any_number[] = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  8,
                                  9,
                                  4095,
                                  4096,
                                  5000,
                                  1 << 20,
                                  3'000'000,
                                  12345677,
                                  1U << 30,
                                  1U << 31,
                                  SIZE_MAX / 2,
                                  SIZE_MAX / 2 + 1,
                                  SIZE_MAX - 1,
                                  SIZE_MAX};

/// Returns: true for all pairs of numbers in a thorough build, and for a seventh of them in the others.
bool is_tried(std::size_t first, std::size_t second) {
    return MALLARD_THOROUGH || (first % 7 + second % 7) % 7 == 0;
}

/// Effects: uses the allocator for three MB of small blocks.
/// Returns: the number of blocks that it could not have, because the upstream refuses absurd chunks.
template <class A>
std::size_t count_failures(A& allocator) {
    std::size_t failures = 0;
    for (std::size_t i = 0; i != 3000; ++i) {
        const std::size_t bytes = i % 100 == 0 ? 5000 + i : 1 + i % 64;
        try {
            std::memset(allocator.allocate(bytes, 8), 1, bytes);
        } catch (const std::bad_alloc&) {
            ++failures;
        }
    }
    return failures;
}

TEST(options_of_monotonic, serve_whatever_the_numbers) {
    for (const std::size_t first : any_number) {
        for (const std::size_t largest : any_number) {
            if (!is_tried(first, largest)) {
                continue;
            }
            plain_upstream source;
            mallard::monotonic<plain_upstream> arena(source, {.growth = {first, largest, 3}});
            const std::size_t failures = count_failures(arena);
            if (first <= plain_upstream::most_bytes) {
                EXPECT_EQ(failures, 0U) << first << ", " << largest;
            }
            if (largest == 0 || largest >= 1 << 20) {
                EXPECT_LE(source.granted().size(), 20U) << first << ", " << largest;
            }
        }
    }
}

TEST(options_of_monotonic, largest_chunk_need_not_be_power_of_two) {
    plain_upstream source;
    mallard::monotonic<plain_upstream> arena(source, {.growth = {.largest_chunk_bytes = 3'000'000}});
    for (int i = 0; i != 50'000; ++i) {
        static_cast<void>(arena.allocate(56, 8));
    }
    EXPECT_LE(source.granted().size(), 33U) << "15 sizes, of which some are repeated";
    for (const plain_upstream::request& r : source.granted()) {
        EXPECT_LE(r.bytes, 3'000'000U);
    }
}

TEST(options_of_multipool, serve_whatever_the_numbers) {
    for (const std::size_t pooled : any_number) {
        for (const std::size_t largest : any_number) {
            if (!is_tried(pooled, largest)) {
                continue;
            }
            plain_upstream source;
            mallard::multipool<plain_upstream> pool(
                source, multipool_options{pooled, {.largest_chunk_bytes = largest, .factor = 1}});
            EXPECT_GE(pool.largest_pooled_bytes(), 8U);
            EXPECT_LE(pool.largest_pooled_bytes(), 1U << 30);
            EXPECT_EQ(count_failures(pool), 0U) << pooled << ", " << largest;
        }
    }
}

TEST(options_of_multipool, serve_any_options_when_shared) {
    for (const std::size_t pooled : any_number) {
        plain_upstream source;
        mallard::concurrent_multipool<plain_upstream> pool(source,
                                                           multipool_options{.largest_pooled_bytes = pooled});
        EXPECT_EQ(count_failures(pool), 0U) << pooled;
    }
}

void expect_service(small_object_pool_options options) {
    plain_upstream source;
    mallard::small_object_pool<plain_upstream> pool(source, options);
    bool served = true;
    try {
        void* const p = pool.allocate(16, 8);
        std::memset(p, 1, 16);
        pool.deallocate(p, 16, 8);
    } catch (const std::bad_alloc&) {
        served = false;
    }
    const std::size_t first = std::min(options.first_chunk_bytes, options.largest_chunk_bytes);
    EXPECT_EQ(served, first <= plain_upstream::most_bytes) << "requested an absurd first chunk";
    for (const plain_upstream::request& r : source.granted()) {
        EXPECT_EQ(r.bytes % r.alignment, 0U);
        EXPECT_GE(r.alignment, 4096U);
    }
}

TEST(options_of_small_object_pool, serve_whatever_the_numbers) {
    for (const std::size_t slab : any_number) {
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{3'000'000}, SIZE_MAX}) {
            for (const std::size_t largest :
                 {std::size_t{0}, std::size_t{4097}, std::size_t{1} << 20, SIZE_MAX}) {
                SCOPED_TRACE(::testing::Message() << slab << ", " << first << ", " << largest);
                expect_service({slab, first, largest});
            }
        }
    }
}

/// Returns: the text of the exception of `make()`; "" if there is none.
template <class Make>
std::string refusal_text(Make make) {
    try {
        make();
    } catch (const mallard::refused_request& refused) {
        return refused.what();
    }
    return "";
}

TEST(options_of_fixed_pool, refuse_impossible_blocks) {
    for (const std::size_t bytes : any_number) {
        for (const std::size_t alignment : any_number) {
            const block_size size{bytes, alignment};
            const auto make = [size] {
                mallard::fixed_pool<mallard::growing_arena<>, mallard::last_freed> pool(size);
            };
            EXPECT_EQ(refusal_text(make) == "", size.is_possible()) << bytes << " at " << alignment;
        }
    }
    EXPECT_EQ(refusal_text([] { mallard::fixed_pool<> pool(block_size{24, 24}); }),
              "mallard: a pool of blocks of 24 bytes at alignment 24 is refused: a block has 1073741824 "
              "bytes at the "
              "most, and an alignment that is a power of two up to 1073741824; make the block_size so");
}

TEST(options_of_fixed_pool, are_refused_with_room_for_zones_too) {
    using checked_type = mallard::checked<mallard::fixed_pool<>>;
    for (const block_size size : {block_size{SIZE_MAX, 1}, block_size{24, 24}, block_size{8, 0},
                                  block_size{SIZE_MAX - 3, std::size_t{1} << 63}}) {
        EXPECT_NE(refusal_text([size] { checked_type pool(size); }), "")
            << size.bytes << " at " << size.alignment;
    }
}

TEST(options_of_fixed_pool, make_an_arena_of_no_block_refuse_all) {
    plain_upstream source;
    mallard::fixed_pool<mallard::single_arena<plain_upstream>> pool(std::size_t{0}, source);
    mallard::fixed_pool<mallard::single_arena<plain_upstream>, mallard::last_freed> sized(
        block_size{24, 8}, std::size_t{0}, source);
    const char* const text = "the pool's arena has no room for one such block; make it larger";
    EXPECT_NE(refusal_text([&] { static_cast<void>(pool.allocate(24, 8)); }).find(text), std::string::npos);
    EXPECT_NE(refusal_text([&] { static_cast<void>(sized.allocate(24, 8)); }).find(text), std::string::npos);
    EXPECT_EQ(pool.capacity(), 0U);
    EXPECT_TRUE(source.granted().empty());
}

TEST(options_of_fixed_pool, fail_for_unrepresentable_capacity) {
    for (const std::size_t blocks : any_number) {
        if (blocks > 1U << 31) {
            plain_upstream source;
            mallard::fixed_pool<mallard::single_arena<plain_upstream>, mallard::last_freed> pool(blocks,
                                                                                                 source);
            EXPECT_THROW(static_cast<void>(pool.allocate(24, 8)), std::bad_alloc) << blocks;
            EXPECT_EQ(source.outstanding(), 0U);
        }
    }
}

TEST(options_of_adaptive_pool, refuse_impossible_nodes) {
    using pool_type = mallard::adaptive_pool<>;
    for (const std::size_t bytes : any_number) {
        for (const std::size_t alignment : any_number) {
            const bool possible = bytes <= pool_type::largest_node_bytes &&
                                  mallard::is_power_of_two(alignment) &&
                                  alignment <= pool_type::largest_node_bytes;
            const auto make = [=] { pool_type pool(block_size{bytes, alignment}); };
            EXPECT_EQ(refusal_text(make) == "", possible) << bytes << " at " << alignment;
        }
    }
}

TEST(options_of_adaptive_pool, release_keeps_zero_byte_size) {
    mallard::adaptive_pool<> pool(block_size{0, 32});
    EXPECT_EQ(pool.node_bytes(), 32U);
    pool.release();
    EXPECT_EQ(pool.node_bytes(), 32U);
}

TEST(options_of_adaptive_pool, first_chunk_ignores_free_slab_limit) {
    for (const std::size_t blocks : {std::size_t{1000}, std::size_t{1} << 32, SIZE_MAX}) {
        plain_upstream source;
        mallard::adaptive_pool<plain_upstream> pool(source, {.most_free_slabs = blocks});
        for (int i = 0; i != 50'000; ++i) {
            std::memset(pool.allocate(24, 8), 1, 24);
        }
        for (const plain_upstream::request& r : source.granted()) {
            EXPECT_LE(r.bytes, std::size_t{512} << 10) << "that stay: " << blocks;
        }
    }
}

TEST(options_of_adaptive_pool, that_are_impossible_stand_for_the_nearest) {
    const auto slab_bytes = [](mallard::adaptive_pool_options options) {
        mallard::adaptive_pool<> pool(block_size{24, 8}, options);
        void* const p = pool.allocate(24, 8);
        std::memset(p, 1, 24);
        pool.deallocate(p, 24, 8);
        return pool.block_bytes();
    };
    EXPECT_EQ(slab_bytes({.nodes_a_slab = 0}), slab_bytes({.nodes_a_slab = 1}));
    EXPECT_EQ(slab_bytes({.nodes_a_slab = SIZE_MAX}), slab_bytes({.nodes_a_slab = 65'536}));
    EXPECT_EQ(slab_bytes({.overhead_percent = 0}), slab_bytes({.overhead_percent = 2}));
    EXPECT_LT(slab_bytes({.nodes_a_slab = 1, .overhead_percent = SIZE_MAX}), slab_bytes({}));
}

TEST(bursts, of_blocks_that_hold_no_link_are_refused) {
    plain_upstream source;
    mallard::monotonic<plain_upstream> one_by_one(source);
    mallard::multipool<plain_upstream> multipool(source);
    mallard::fixed_pool<mallard::growing_arena<plain_upstream>> fixed(source);
    mallard::small_object_pool<plain_upstream> small(source);
    mallard::adaptive_pool<plain_upstream> adaptive(source);
    mallard::heap<plain_upstream> heap(source);
    mallard::checked<mallard::multipool<plain_upstream>> checked(source);
    mallard::limited<mallard::multipool<plain_upstream>> limited(std::size_t{1} << 20, source);
    const auto expect_refused = [](auto& a) {
        for (std::size_t bytes = 0; bytes != sizeof(void*); ++bytes) {
            EXPECT_NE(refusal_text([&] { static_cast<void>(mallard::allocate_many(a, bytes, 1, 10)); }), "")
                << bytes;
            EXPECT_TRUE(mallard::allocate_many(a, bytes, 1, 0).empty()) << "none of them is none";
        }
        for (const std::size_t count : {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 16 + 1}) {
            EXPECT_THROW(static_cast<void>(mallard::allocate_many(a, 16, 8, count)), std::bad_alloc) << count;
        }
    };
    expect_refused(one_by_one);
    expect_refused(multipool);
    expect_refused(fixed);
    expect_refused(small);
    expect_refused(adaptive);
    expect_refused(heap);
    expect_refused(checked);
    expect_refused(limited);
    EXPECT_TRUE(source.granted().empty());
}

} // namespace

#endif

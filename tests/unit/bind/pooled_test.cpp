#include "equipment/out_of_memory.hpp"

#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/pooled.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>

namespace {

template <class T>
bool is_pooled(const T* p) {
    return T::pool().owns(p);
}

// ---- one class

struct order : mallard::pooled<order> {
    explicit order(int n = 0) : number(n) {}
    int number;
    double limit = 0;
};

TEST(pooled, reuses_block_of_deleted_object) {
    auto* first = new order(17);
    EXPECT_EQ(first->number, 17);
    EXPECT_TRUE(is_pooled(first));
    const void* const block = first;
    delete first;
    auto* second = new order(18);
    EXPECT_EQ(second, block);
    delete second;
}

template <class T>
concept reserves = requires { T::reserve(1); };

struct reserved_pool : mallard::per_thread<reserved_pool, mallard::multipool<>> {};
struct reserved : mallard::pooled<reserved, reserved_pool> {
    char bytes[48];
};

TEST(pooled, reserves_objects) {
    static_assert(!reserves<order>, "threads share the common pool");
    reserved::reserve(100);
    const std::size_t calls = reserved::pool().stats().upstream_calls;
    std::array<std::unique_ptr<reserved>, 100> all;
    for (auto& p : all) {
        p = std::make_unique<reserved>();
    }
    EXPECT_EQ(reserved::pool().stats().upstream_calls, calls);
}

TEST(pooled, is_no_part_of_the_object) {
    struct plain {
        int number;
        double limit;
    };
    EXPECT_EQ(sizeof(order), sizeof(plain));
    struct trivial : mallard::pooled<trivial> {
        int number;
    };
    EXPECT_TRUE(std::is_trivial_v<trivial>);
}

TEST(pooled, deletes_null) {
    order* const none = nullptr;
    delete none;
    order::operator delete(nullptr, sizeof(order));
}

/// A sanitizer compares the function that frees a block with the one that allocated it.
TEST(pooled, global_blocks_are_freed_globally) {
    for (const std::size_t alignment : {8U, 16U, 32U, 4096U}) {
        void* const p = mallard::bind::global_heap::allocate(96, alignment);
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
        mallard::bind::global_heap::deallocate_of_any_size(p, alignment);
    }
}

TEST(pooled, leaves_arrays_to_the_global_heap) {
    auto* several = new order[10];
    EXPECT_FALSE(is_pooled(several));
    delete[] several;
    std::unique_ptr<order[]> none(new (std::nothrow) order[3]);
    EXPECT_FALSE(is_pooled(none.get()));
}

TEST(pooled, makes_an_object_in_place) {
    alignas(order) std::array<std::byte, sizeof(order)> memory;
    auto* p = new (memory.data()) order(3);
    EXPECT_EQ(static_cast<void*>(p), memory.data());
    EXPECT_EQ(p->number, 3);
    p->~order();
}

// ---- derived classes

struct shape : mallard::pooled<shape> {
    shape() = default;
    shape(const shape&) = delete;
    shape& operator=(const shape&) = delete;
    virtual ~shape() = default;
    char payload[24]{};
};
struct renamed_shape : shape {};
struct large_shape : shape {
    char more[100]{};
};
struct alignas(128) wide_shape : shape {};

TEST(pooled, pools_derived_class_of_equal_size) {
    std::unique_ptr<shape> p(new renamed_shape);
    EXPECT_TRUE(is_pooled(p.get()));
}

TEST(pooled, allocates_larger_derived_class_globally) {
    std::unique_ptr<shape> p(new large_shape);
    EXPECT_FALSE(is_pooled(p.get()));
    p.reset(new (std::nothrow) large_shape);
    EXPECT_FALSE(is_pooled(p.get()));
    p.reset(new shape);
    EXPECT_TRUE(is_pooled(p.get()));
}

TEST(pooled, aligns_an_over_aligned_derived_class) {
    std::unique_ptr<shape> p(new wide_shape);
    EXPECT_FALSE(is_pooled(p.get()));
    EXPECT_TRUE(mallard::core::is_aligned(p.get(), 128));
    p.reset(new (std::nothrow) wide_shape);
    EXPECT_TRUE(mallard::core::is_aligned(p.get(), 128));
}

struct bytes_of_64 : mallard::pooled<bytes_of_64> {
    char bytes[64];
};
struct alignas(64) aligned_64 : bytes_of_64 {};

TEST(pooled, detects_over_aligned_derived_class) {
    static_assert(sizeof(aligned_64) == sizeof(bytes_of_64));
    std::array<std::unique_ptr<aligned_64>, 10> all;
    for (auto& p : all) {
        p.reset(new aligned_64);
        EXPECT_FALSE(is_pooled<bytes_of_64>(p.get()));
        EXPECT_TRUE(mallard::core::is_aligned(p.get(), 64));
    }
}

struct own_pool : mallard::per_thread<own_pool, mallard::fixed_pool<>> {};
struct pooled_itself : shape, mallard::pooled<pooled_itself, own_pool> {
    using base = mallard::pooled<pooled_itself, own_pool>;
    using base::operator new;
    using base::operator delete;
    using base::pool;
    char more[200]{};
};

TEST(pooled, derived_class_can_have_separate_pool) {
    auto* own = new pooled_itself;
    EXPECT_TRUE(is_pooled(own));
    EXPECT_FALSE(is_pooled<shape>(own));
    const shape* const base = own;
    delete base;
}

// ---- over-aligned classes

struct alignas(64) line : mallard::pooled<line> {
    char bytes[64];
};

TEST(pooled, aligns_an_over_aligned_class) {
    std::array<std::unique_ptr<line>, 10> all;
    for (auto& p : all) {
        p.reset(new line);
        EXPECT_TRUE(is_pooled(p.get()));
        EXPECT_TRUE(mallard::core::is_aligned(p.get(), 64));
    }
    all[0].reset(new (std::nothrow) line);
    EXPECT_TRUE(is_pooled(all[0].get()));
}

// ---- destroying delete

struct counted_end : mallard::pooled<counted_end> {
    static inline int ends = 0;

    using mallard::pooled<counted_end>::operator delete;
    static void operator delete(counted_end* p, std::destroying_delete_t) {
        ++ends;
        p->~counted_end();
        counted_end::operator delete(p, sizeof(counted_end));
    }

    long number = 0;
};

TEST(pooled, serves_a_class_that_destroys_itself) {
    auto* p = new counted_end;
    const void* const block = p;
    delete p;
    EXPECT_EQ(counted_end::ends, 1);
    p = new counted_end;
    EXPECT_EQ(p, block);
    delete p;
}

// ---- a test arena

struct room_for_three
    : mallard::single_threaded<room_for_three, mallard::fixed_pool<mallard::static_arena<96>>> {};

struct scarce : mallard::pooled<scarce, room_for_three> {
    char bytes[32];
};

TEST(pooled, throws_when_arena_is_full) {
    std::array<std::unique_ptr<scarce>, 3> all;
    for (auto& p : all) {
        p.reset(new scarce);
    }
    EXPECT_OUT_OF_MEMORY(static_cast<void>(new scarce));
    EXPECT_EQ(new (std::nothrow) scarce, nullptr);
    all[0].reset();
    all[0].reset(new scarce);
    EXPECT_TRUE(is_pooled(all[0].get()));
}

// ---- threads

TEST(pooled, object_outlives_its_thread) {
    std::unique_ptr<order> object;
    std::thread([&object] { object.reset(new order(17)); }).join();
    mallard::chunk_cache::trim();
    ASSERT_TRUE(is_pooled(object.get()));
    EXPECT_EQ(object->number, 17);
}

TEST(pooled, reuses_blocks_that_another_thread_freed) {
    const auto exchange = [](int rounds) {
        for (; rounds != 0; --rounds) {
            std::array<std::unique_ptr<order>, 300> made;
            for (auto& p : made) {
                p.reset(new order);
            }
            std::thread([&made] { made = {}; }).join();
        }
    };
    exchange(10); // more than a quarantine holds
    const std::size_t chunk_bytes = order::pool().stats().chunk_bytes;
    exchange(20);
    EXPECT_EQ(order::pool().stats().chunk_bytes, chunk_bytes);
}

struct local_orders : mallard::per_thread<local_orders, mallard::fixed_pool<>> {};
struct local_order : mallard::pooled<local_order, local_orders> {
    int number = 0;
};

TEST(pooled, pool_by_name_is_per_thread) {
    const std::unique_ptr<local_order> local(new local_order);
    std::thread([&local] {
        const std::unique_ptr<local_order> foreign(new local_order);
        EXPECT_TRUE(is_pooled(foreign.get()));
        EXPECT_FALSE(is_pooled(local.get()));
    }).join();
}

struct message_pool : mallard::shared_by_threads<message_pool, mallard::synchronized<mallard::fixed_pool<>>> {
};

struct message : mallard::pooled<message, message_pool> {
    explicit message(int n) : number(n) {}
    int number;
    char text[60]{};
};

TEST(pooled, shared_pool_objects_cross_threads) {
    auto* sent = new message(5);
    std::thread([sent] {
        EXPECT_EQ(sent->number, 5);
        delete sent;
        delete new (std::nothrow) message(6);
    }).join();
    auto* next = new message(7);
    EXPECT_EQ(next, sent) << "the block is free for everybody";
    delete next;
}

// ---- constructors that throw

#ifdef __cpp_exceptions

struct refused : mallard::pooled<refused> {
    explicit refused(bool throws) {
        if (throws) {
            throw 1;
        }
    }
    char bytes[40];
};
struct larger_refused : refused {
    using refused::refused;
    char more[100];
};
struct alignas(256) wider_refused : refused {
    using refused::refused;
};
struct alignas(64) refused_line : mallard::pooled<refused_line> {
    explicit refused_line(bool throws) {
        if (throws) {
            throw 1;
        }
    }
    char bytes[64];
};

// Unoptimised, g++ takes the template that pooled<T> has for its sake for a mismatch.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
template <class T>
T* make(bool throws) {
    return new T(throws);
}
template <class T>
T* make_or_null(bool throws) {
    return new (std::nothrow) T(throws);
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// The next object gets the block of an object whose constructor throws; AddressSanitizer watches the blocks of the
/// global heap.
template <class T>
void expect_block_back(T* (*make_one)(bool throws)) {
    auto* first = make_one(false);
    const void* const block = first;
    delete first;
    EXPECT_THROW(static_cast<void>(make_one(true)), int);
    auto* second = make_one(false);
    if (is_pooled(second)) {
        EXPECT_EQ(second, block);
    }
    delete second;
}

TEST(pooled, reclaims_block_when_constructor_throws) {
    expect_block_back(make<refused>);
    expect_block_back(make<refused_line>);
    expect_block_back(make<larger_refused>);
    expect_block_back(make<wider_refused>);
}

TEST(pooled, reclaims_block_without_size) {
    expect_block_back(make_or_null<refused>);
    expect_block_back(make_or_null<refused_line>);
    expect_block_back(make_or_null<larger_refused>);
    expect_block_back(make_or_null<wider_refused>);
}

/// A final class may have a pool that does not know its blocks.
struct pool_of_finals : mallard::per_thread<pool_of_finals, mallard::multipool<>> {};
struct last_of_all final : mallard::pooled<last_of_all, pool_of_finals> {
    explicit last_of_all(bool throws) : number(throws ? throw 1 : 0) {}
    int number;
};

TEST(pooled, needs_no_addresses_for_a_final_class) {
    auto* first = new (std::nothrow) last_of_all(false);
    const void* const block = first;
    delete first;
    EXPECT_THROW(static_cast<void>(new (std::nothrow) last_of_all(true)), int);
    auto* second = new (std::nothrow) last_of_all(false);
    EXPECT_EQ(second, block);
    delete second;
}

#endif

} // namespace

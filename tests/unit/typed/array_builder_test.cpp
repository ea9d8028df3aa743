#include "equipment/ledger.hpp"

#include <mallard/adapt/failing.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/typed/array.hpp>
#include <mallard/typed/array_builder.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using memory = equipment::ledger;

template <class A>
class array_builder : public ::testing::Test {
protected:
    A mechanism_;
};

using mechanisms = ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::heap<>,
                                    std::pmr::unsynchronized_pool_resource>;
TYPED_TEST_SUITE(array_builder, mechanisms);

TYPED_TEST(array_builder, growth_keeps_elements) {
    mallard::array_builder<int, TypeParam> numbers(this->mechanism_);
    EXPECT_TRUE(numbers.empty());
    for (int i = 0; i < 5000; ++i) {
        EXPECT_EQ(numbers.emplace_back(i), i);
    }
    EXPECT_EQ(numbers.size(), 5000U);
    EXPECT_GE(numbers.capacity(), 5000U);
    const std::span<int> all = numbers.finish();
    EXPECT_TRUE(numbers.empty());
    ASSERT_EQ(all.size(), 5000U);
    for (int i = 0; i < 5000; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
    }
    mallard::destroy_array(this->mechanism_, all);
}

TYPED_TEST(array_builder, has_elements_with_destructors) {
    const auto one = std::make_shared<int>(1);
    {
        mallard::array_builder<std::shared_ptr<int>, TypeParam> pointers(this->mechanism_);
        for (int i = 0; i < 100; ++i) {
            pointers.push_back(one);
        }
        EXPECT_EQ(one.use_count(), 101);
        pointers.pop_back();
        EXPECT_EQ(one.use_count(), 100);
    }
    EXPECT_EQ(one.use_count(), 1) << "the unfinished elements";
    mallard::array_builder<std::shared_ptr<int>, TypeParam> again(this->mechanism_);
    again.push_back(one);
    again.push_back(one);
    const auto all = again.finish();
    EXPECT_EQ(one.use_count(), 3);
    mallard::destroy_array(this->mechanism_, all);
    EXPECT_EQ(one.use_count(), 1);
}

/// While another block lies behind it, it cannot grow where it lies.
TYPED_TEST(array_builder, grows_among_live_blocks) {
    mallard::array_builder<std::string, TypeParam> names(this->mechanism_);
    std::vector<void*> others;
    for (int i = 0; i < 300; ++i) {
        names.emplace_back("a name of some length, number " + std::to_string(i));
        others.push_back(this->mechanism_.allocate(40, 8));
    }
    const auto all = names.finish();
    ASSERT_EQ(all.size(), 300U);
    EXPECT_EQ(all[299], "a name of some length, number 299");
    mallard::destroy_array(this->mechanism_, all);
    for (void* p : others) {
        this->mechanism_.deallocate(p, 40, 8);
    }
}

TYPED_TEST(array_builder, appends_element_of_itself) {
    mallard::array_builder<std::string, TypeParam> names(this->mechanism_);
    names.emplace_back("the first of all names, and a long one");
    for (int i = 0; i < 8; ++i) {
        names.append(std::span<const std::string>(names.begin(), names.size()));
    }
    names.push_back(names[0]);
    ASSERT_EQ(names.size(), 257U);
    for (const std::string& name : names) {
        EXPECT_EQ(name, "the first of all names, and a long one");
    }
}

TYPED_TEST(array_builder, finishes_nothing) {
    mallard::array_builder<int, TypeParam> numbers(this->mechanism_);
    EXPECT_TRUE(numbers.finish().empty());
    numbers.push_back(1);
    numbers.clear();
    EXPECT_TRUE(numbers.finish().empty());
    numbers.reserve(10);
    EXPECT_GE(numbers.capacity(), 10U);
    numbers.push_back(3);
    const auto all = numbers.finish();
    EXPECT_EQ(all.size(), 1U);
    mallard::destroy_array(this->mechanism_, all);
}

TEST(array_builder_in_a_region, copies_nothing_and_leaves_no_spare_room) {
    memory source;
    mallard::monotonic<memory> arena(source, {.growth = {.first_chunk_bytes = 1 << 20}});
    auto* const first = static_cast<std::byte*>(arena.allocate(8, 8));
    mallard::array_builder<int, mallard::monotonic<memory>> numbers(arena);
    numbers.push_back(0);
    int* const begin = numbers.begin();
    for (int i = 1; i < 10'000; ++i) {
        numbers.push_back(i);
    }
    EXPECT_EQ(numbers.begin(), begin);
    const auto all = numbers.finish();
    EXPECT_EQ(all.data(), begin);
    auto* const next = static_cast<std::byte*>(arena.allocate(8, 8));
    EXPECT_LT(next - first, 8 + 4 * 10'000 + 64) << "the spare room is free again";
}

TEST(array_builder_on_a_ledger, gives_everything_back) {
    memory source;
    {
        mallard::array_builder<long, memory> numbers(source);
        for (long i = 0; i < 100; ++i) {
            numbers.push_back(i);
        }
        EXPECT_EQ(source.outstanding(), 1U);
        const auto all = numbers.finish();
        EXPECT_EQ(source.outstanding_bytes(), 800U) << "without spare room";
        mallard::destroy_array(source, all);
        numbers.push_back(7);
    }
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(array_builder_of_allocator_aware_elements, passes_allocator_to_elements) {
    std::pmr::monotonic_buffer_resource source;
    mallard::array_builder<std::pmr::string, std::pmr::memory_resource> names(source);
    for (int i = 0; i < 50; ++i) {
        names.emplace_back("longer than any string that fits into its own object");
    }
    for (const auto& name : names) {
        EXPECT_EQ(name.get_allocator().resource(), &source);
    }
}

#ifdef __cpp_exceptions

/// A copy throws if `copies_left` is 0. Its move may throw, so a builder copies it.
struct fragile {
    static inline int living = 0;
    static inline int remaining_copies = -1;

    explicit fragile(int number) : value(number) { ++living; }
    fragile(const fragile& other) : value(other.value) {
        if (remaining_copies == 0) {
            throw std::runtime_error("no copy");
        }
        --remaining_copies;
        ++living;
    }
    fragile& operator=(const fragile&) = delete;
    ~fragile() { --living; }

    int value;
};

TEST(array_builder_that_fails, keeps_state) {
    for (int copies = 0; copies < 40; ++copies) {
        memory source;
        {
            mallard::array_builder<fragile, memory> all(source);
            fragile::remaining_copies = copies;
            const fragile value(-1);
            int count = 0;
            try {
                for (; count < 40; ++count) {
                    all.push_back(value);
                }
                const auto done = all.finish();
                mallard::destroy_array(source, done);
                count = 0;
            } catch (const std::runtime_error&) {
            }
            fragile::remaining_copies = -1;
            EXPECT_EQ(all.size(), static_cast<std::size_t>(count)) << copies;
            EXPECT_EQ(fragile::living, count + 1) << copies;
        }
        EXPECT_EQ(fragile::living, 0);
        EXPECT_EQ(source.outstanding(), 0U);
    }
}

TEST(array_builder_that_fails, keeps_elements_when_memory_runs_out) {
    memory source;
    mallard::array_builder<int, memory> numbers(source);
    int count = 0;
    source.fail({.at = 3, .for_ever = true});
    try {
        for (; count < 1000; ++count) {
            numbers.push_back(count);
        }
        FAIL() << "there was memory";
    } catch (const std::bad_alloc&) {
    }
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
    }
    EXPECT_THROW(numbers.reserve(static_cast<std::size_t>(-1) / 2), std::bad_array_new_length);
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(count));
}

#endif

} // namespace

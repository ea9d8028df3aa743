// Vectors of Boost whose elements have every size and alignment, growing both ways in one mallard heap.
#include "equipment/boost_containers.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/expandable_allocator.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/local/heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace {

#if EQUIPMENT_HAS_BOOST

using heap = mallard::counted<mallard::heap<>>;
template <class T>
using alloc = mallard::expandable_allocator<T, heap>;
template <class T>
using vector = boost::container::vector<T, alloc<T>>;

/// An element that knows its number and the alignment of its place.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) stamped {
    explicit stamped(unsigned number) noexcept {
        std::memset(bytes.data(), static_cast<int>(number % 251), Bytes);
    }
    [[nodiscard]] bool is(unsigned number) const noexcept {
        return mallard::core::is_aligned(this, Alignment) &&
               std::ranges::all_of(bytes, [number](unsigned char c) { return c == number % 251; });
    }
    std::array<unsigned char, Bytes> bytes;
};

template <class T>
class expandable_allocator_with_elements : public ::testing::Test {};
#if MALLARD_THOROUGH
using elements =
    ::testing::Types<stamped<1, 1>, stamped<3, 1>, stamped<12, 4>, stamped<24, 8>, stamped<40, 8>,
                     stamped<2, 2>, stamped<48, 16>, stamped<32, 32>, stamped<64, 64>, stamped<192, 64>>;
#else
using elements = ::testing::Types<stamped<3, 1>, stamped<24, 8>, stamped<192, 64>>;
#endif
TYPED_TEST_SUITE(expandable_allocator_with_elements, elements);

/// Several vectors in one heap, which grow and shrink in turn, so that there is room on all sides at times.
TYPED_TEST(expandable_allocator_with_elements, growing_and_shrinking_vectors_keep_elements) {
    heap h;
    {
        std::vector<vector<TypeParam>> all(6, vector<TypeParam>{alloc<TypeParam>(h)});
        std::array<std::vector<unsigned>, 6> expected;
        std::mt19937 random(sizeof(TypeParam));
        for (unsigned step = 0; step != 1200; ++step) {
            const std::size_t index = random() % all.size();
            vector<TypeParam>& v = all[index];
            std::vector<unsigned>& e = expected[index];
            const auto place = static_cast<std::ptrdiff_t>(random() % (e.size() + 1));
            switch (random() % 12) {
            case 0:
                v.shrink_to_fit();
                break;
            case 1:
                v.erase(v.begin() + place, v.end());
                e.erase(e.begin() + place, e.end());
                break;
            case 2:
                v.insert(v.begin() + place, 20, TypeParam(step));
                e.insert(e.begin() + place, 20, step);
                break;
            case 3:
                v.reserve(e.size() + 10);
                break;
            default:
                for (int i = 0; i != 5; ++i) {
                    v.emplace(v.begin() + place, step);
                    e.insert(e.begin() + place, step);
                    v.emplace_back(step);
                    e.push_back(step);
                }
                break;
            }
            ASSERT_TRUE(std::ranges::equal(v, e, [](const TypeParam& t, unsigned n) { return t.is(n); }))
                << step;
            ASSERT_LE(v.size(), v.capacity());
        }
        EXPECT_TRUE(h.mechanism().check_sanity().sound());
        EXPECT_GE(h.counts().grown_forward, 5U);
        EXPECT_GE(h.counts().grown_backward, 5U);
        EXPECT_GE(h.counts().shrunk, 5U);
    }
    EXPECT_EQ(h.counts().bytes_in_use, 0U);
    EXPECT_EQ(h.mechanism().use().used_blocks, 0U);
}

#else

TEST(expandable_allocator_with_elements, needs_boost) {
    GTEST_SKIP() << EQUIPMENT_SAYS_THAT_BOOST_IS_MISSING;
}

#endif

} // namespace

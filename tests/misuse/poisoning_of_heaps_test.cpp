// AddressSanitizer reports the use of heap memory behind a block, of memory freed by shrinking, and of memory that was not
// allocated yet.
#include <mallard/local/heap.hpp>
#include <mallard/local/region_heap.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace {

using mallard::expansion;

const char* const report = "AddressSanitizer: (use-after-poison|unknown-crash|SEGV)";

char read(const void* p, std::size_t offset = 0) {
    return *(static_cast<const volatile char*>(p) + offset);
}

void expect_report(const void* p, std::size_t offset = 0) {
    EXPECT_DEATH(read(p, offset), report) << "at byte " << offset;
}

template <class Heap>
class poisoning_of_heaps : public ::testing::Test {
protected:
    /// Returns: a block whose neighbours are in use.
    void* allocate_between(std::size_t bytes) {
        void* const lower_neighbour = heap_.allocate(600, 8);
        void* const p = heap_.allocate(bytes, 8);
        static_cast<void>(heap_.allocate(600, 8));
        neighbour_ = lower_neighbour;
        return p;
    }

    Heap heap_;
    void* neighbour_ = nullptr;
};

using heaps = ::testing::Types<mallard::heap<>, mallard::heap<mallard::new_delete>>;
TYPED_TEST_SUITE(poisoning_of_heaps, heaps);

TYPED_TEST(poisoning_of_heaps, covers_the_boundary_tags_of_a_block) {
    auto* const p = static_cast<char*>(this->allocate_between(40));
    EXPECT_EQ(read(p, 39), read(p, 39));
    expect_report(p - 1);
    expect_report(p - 8);
    expect_report(p, 40);
    expect_report(p, 47);
}

TYPED_TEST(poisoning_of_heaps, spares_bytes_reported_to_the_caller) {
    void* const p = this->allocate_between(33);
    expect_report(p, 33);
    const std::size_t usable = this->heap_.usable_bytes(p);
    ASSERT_GT(usable, 33U);
    std::memset(p, 1, usable);
    expect_report(p, usable);
    const mallard::sized_block block = this->heap_.allocate_at_least(33, 8);
    std::memset(block.p, 1, block.bytes);
    expect_report(block.p, block.bytes);
}

TYPED_TEST(poisoning_of_heaps, covers_bytes_freed_by_shrinking) {
    void* const p = this->allocate_between(1000);
    const std::size_t kept_bytes = this->heap_.shrink(p, 100);
    std::memset(p, 1, kept_bytes);
    for (const std::size_t i : {kept_bytes, kept_bytes + 8, kept_bytes + 300, std::size_t{999}}) {
        expect_report(p, i);
    }
}

TYPED_TEST(poisoning_of_heaps, spares_bytes_gained_by_expansion) {
    void* const p = this->allocate_between(200);
    this->heap_.deallocate(this->neighbour_);
    const auto grown =
        this->heap_.expand(p, {.least_bytes = 500, .preferred_bytes = 500, .allowed = expansion::backward});
    ASSERT_EQ(grown.method, expansion::backward);
    std::memset(grown.p, 1, grown.bytes);
    expect_report(grown.p, grown.bytes);
    expect_report(static_cast<char*>(grown.p) - 1);
    const auto more =
        this->heap_.expand(this->heap_.allocate(50, 8),
                           {.least_bytes = 900, .preferred_bytes = 900, .allowed = expansion::forward});
    ASSERT_EQ(more.method, expansion::forward);
    std::memset(more.p, 1, more.bytes);
    expect_report(more.p, more.bytes);
}

TYPED_TEST(poisoning_of_heaps, covers_the_links_of_a_freed_block) {
    void* const p = this->allocate_between(200);
    this->heap_.deallocate(p);
    for (const std::size_t i : {0U, 8U, 16U, 100U, 192U, 199U}) {
        expect_report(p, i);
    }
    EXPECT_DEATH(this->heap_.deallocate(p), report);
}

TYPED_TEST(poisoning_of_heaps, covers_blocks_deallocated_in_a_chain) {
    mallard::block_chain blocks = this->heap_.allocate_many(20, 8, 3);
    void* const first = blocks.front();
    EXPECT_EQ(read(first, 19), read(first, 19));
    expect_report(first, 20);
    const std::array<std::size_t, 2> sizes{24, 300};
    blocks.splice_back(this->heap_.allocate_many(sizes, 8));
    void* const last = blocks.back();
    std::memset(last, 0, 300);
    expect_report(last, 304);
    this->heap_.deallocate_many(std::move(blocks));
    expect_report(first);
    expect_report(last, 299);
}

TYPED_TEST(poisoning_of_heaps, covers_padding_in_front_of_aligned_blocks) {
    static_cast<void>(this->heap_.allocate(8, 8));
    auto* const p = static_cast<char*>(this->heap_.allocate(100, 512));
    std::memset(p, 1, 100);
    expect_report(p - 8);
    expect_report(p - 100);
    expect_report(p, 100);
}

TEST(poisoning_of_large_blocks, covers_bytes_outside_the_block) {
    mallard::heap<> heap;
    constexpr std::size_t bytes = (std::size_t{1} << 20) - 100;
    auto* const p = static_cast<char*>(heap.allocate(bytes));
    std::memset(p, 1, bytes);
    expect_report(p, bytes);
    expect_report(p - 1);
    const std::size_t kept_bytes = heap.shrink(p, bytes / 2);
    expect_report(p, kept_bytes);
    const auto grown = heap.expand(p, {.least_bytes = 2 * bytes, .preferred_bytes = 2 * bytes});
    ASSERT_EQ(grown.p, p);
    std::memset(p, 1, grown.bytes);
    expect_report(p, grown.bytes);
    heap.deallocate(p);
    expect_report(p);
}

TEST(poisoning_of_regions, lasts_as_long_as_the_heap) {
    constexpr std::size_t bytes = 65536;
    const std::unique_ptr<std::byte[]> room(new std::byte[bytes]);
    auto& heap = mallard::region_heap::create_in(std::span(room.get(), bytes));
    void* const p = heap.allocate(100);
    expect_report(p, 100);
    heap.deallocate(p);
    expect_report(p, 50);
    expect_report(room.get(), bytes - 100);
}

} // namespace

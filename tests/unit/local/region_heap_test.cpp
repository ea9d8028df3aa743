#include "equipment/heaps.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/region_heap.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using heap_type = mallard::region_heap;
using mallard::expansion;

class region : public ::testing::Test {
protected:
    static constexpr std::size_t bytes = 65536;

    ~region() override {
        EXPECT_EQ(equipment::find_defect(heap_), "");
        mallard::core::unpoison(memory_.get(), room);
    }

    /// Effects: allocates blocks of `block_bytes` until the region is full.
    std::vector<void*> fill(std::size_t block_bytes) {
        std::vector<void*> all;
        while (void* p = heap_.try_allocate(block_bytes)) {
            std::memset(p, static_cast<int>(all.size()), block_bytes);
            all.push_back(p);
        }
        return all;
    }

    static constexpr std::size_t room = 4 * bytes;
    std::unique_ptr<std::byte[]> memory_{new std::byte[room]};
    heap_type& heap_ = heap_type::create_in(std::span(memory_.get(), bytes));
};

TEST_F(region, holds_heap_and_blocks) {
    EXPECT_EQ(static_cast<void*>(&heap_), memory_.get());
    EXPECT_EQ(heap_.region_bytes(), bytes);
    EXPECT_EQ(heap_.stats().chunk_bytes, bytes);
    EXPECT_EQ(heap_.use().held_bytes, bytes);
    EXPECT_GE(heap_.use().free_bytes, bytes - heap_type::least_region_bytes());
    for (void* p : fill(24)) {
        EXPECT_GE(p, memory_.get() + sizeof(heap_type));
        EXPECT_LE(static_cast<std::byte*>(p) + 24, memory_.get() + bytes);
    }
}

TEST_F(region, is_full_at_some_time_and_empty_again) {
    const std::size_t free_bytes = heap_.use().largest_free_bytes;
    for (int round = 0; round < 3; ++round) {
        const std::vector<void*> all = fill(100);
        EXPECT_GE(all.size(), (bytes - heap_type::least_region_bytes()) / 112);
        EXPECT_EQ(heap_.try_allocate(100), nullptr);
        EXPECT_EQ(heap_.try_expand(all[0], {.least_bytes = 1000, .preferred_bytes = 1000}).p, nullptr);
        for (void* p : all) {
            heap_.deallocate(p);
        }
        heap_.settle();
        EXPECT_EQ(heap_.use().free_blocks, 1U);
        EXPECT_EQ(heap_.use().largest_free_bytes, free_bytes);
    }
    EXPECT_NE(heap_.try_allocate(free_bytes), nullptr) << "all of it as one block";
}

TEST_F(region, refuses_oversized_requests) {
    EXPECT_OUT_OF_MEMORY(static_cast<void>(heap_.allocate(bytes)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(heap_.allocate(100, bytes)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(heap_.allocate_many(1000, 16, 100)));
    EXPECT_EQ(heap_.use().used_blocks, 0U);
    heap_.settle();
    EXPECT_EQ(heap_.use().free_blocks, 1U);
}

TEST_F(region, grows_at_end) {
    const auto all = fill(1000);
    const std::size_t free_bytes = heap_.use().free_bytes;
    heap_.grow(bytes);
    EXPECT_EQ(heap_.region_bytes(), 2 * bytes);
    EXPECT_EQ(heap_.use().free_bytes, free_bytes + bytes);
    EXPECT_EQ(equipment::find_defect(heap_), "");
    void* const p = heap_.try_allocate(bytes - 100);
    ASSERT_NE(p, nullptr);
    std::memset(p, 1, bytes - 100);
    EXPECT_EQ(*static_cast<unsigned char*>(all[3]), 3U);
    heap_.grow(100);
    EXPECT_EQ(heap_.region_bytes(), 2 * bytes + 96) << "down to a multiple of 16";
    heap_.grow(15);
    EXPECT_EQ(heap_.region_bytes(), 2 * bytes + 96);
}

TEST_F(region, last_block_grows_with_region) {
    const std::size_t free_bytes = heap_.use().largest_free_bytes;
    void* const p = heap_.allocate(free_bytes);
    std::memset(p, 'x', free_bytes);
    const mallard::expansion_request request{.least_bytes = free_bytes + 1000,
                                             .preferred_bytes = free_bytes + 1000,
                                             .allowed = expansion::forward};
    EXPECT_EQ(heap_.expand(p, request).p, nullptr);
    heap_.grow(1008);
    EXPECT_EQ(equipment::find_defect(heap_), "");
    EXPECT_EQ(heap_.expand(p, request).p, p);
    EXPECT_EQ(static_cast<char*>(p)[free_bytes - 1], 'x');
}

TEST_F(region, ignores_growth_smaller_than_block) {
    const auto all = fill(24);
    EXPECT_EQ(heap_.grow(31), bytes);
    EXPECT_EQ(heap_.region_bytes(), bytes);
    EXPECT_EQ(heap_.grow(32), bytes + 32);
    EXPECT_EQ(equipment::find_defect(heap_), "");
    EXPECT_EQ(fill(24).size(), 1U);
    heap_.deallocate(all.back());
}

TEST_F(region, is_the_callers_again) {
    static_cast<void>(fill(100));
    const std::span<std::byte> again = heap_.give_up();
    EXPECT_EQ(again.data(), memory_.get());
    EXPECT_EQ(again.size(), bytes);
    std::memset(again.data(), 0, again.size());
#ifdef __cpp_exceptions
    EXPECT_THROW(heap_type::open_in(again.data()), mallard::refused_request);
#else
    EXPECT_DEATH(heap_type::open_in(again.data()), "mallard: there is no heap in the region at ");
#endif
    EXPECT_EQ(&heap_type::create_in(again), &heap_);
}

TEST_F(region, shrink_to_fit_cuts_free_end) {
    void* const first = heap_.allocate(1000);
    void* const second = heap_.allocate(1000);
    std::memset(second, 'x', 1000);
    const std::size_t remaining = heap_.shrink_to_fit();
    EXPECT_EQ(remaining, heap_.region_bytes());
    EXPECT_LT(remaining, 2016 + heap_type::least_region_bytes());
    EXPECT_EQ(remaining % 16, 0U);
    EXPECT_EQ(equipment::find_defect(heap_), "");
    std::memset(memory_.get() + remaining, 0x41, room - remaining);
    EXPECT_EQ(equipment::find_defect(heap_), "") << "that is the caller's";
    EXPECT_EQ(heap_.try_allocate(1000), nullptr);
    EXPECT_EQ(heap_.shrink_to_fit(), remaining);
    heap_.deallocate(first);
    EXPECT_EQ(heap_.shrink_to_fit(), remaining) << "it is not at the end";
    EXPECT_EQ(heap_.allocate(1000), first);
    heap_.deallocate(second);
    EXPECT_LT(heap_.shrink_to_fit(), remaining - 900);
    heap_.grow(bytes);
    EXPECT_NE(heap_.try_allocate(bytes / 2), nullptr);
    EXPECT_EQ(equipment::find_defect(heap_), "");
}

TEST_F(region, empty_heap_shrinks_to_minimum) {
    EXPECT_LE(heap_.shrink_to_fit(), heap_type::least_region_bytes() + 16);
    EXPECT_EQ(equipment::find_defect(heap_), "");
    EXPECT_NE(heap_.try_allocate(24), nullptr);
    EXPECT_EQ(heap_.try_allocate(24), nullptr);
    EXPECT_EQ(equipment::find_defect(heap_), "");
}

TEST(least_region, has_room_for_one_block) {
    constexpr std::size_t bytes = heap_type::least_region_bytes() + 15;
    alignas(16) static std::array<std::byte, bytes> memory;
    heap_type& heap = heap_type::create_in(memory);
    void* const p = heap.try_allocate(24);
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(heap.try_allocate(1), nullptr);
    EXPECT_EQ(equipment::find_defect(heap), "");
    heap.deallocate(p);
    EXPECT_EQ(heap.use().free_blocks, 1U);
}

/// A region may be mapped anywhere: its contents are found from its addresses there.
TEST(moved_region, works_at_new_address) {
    constexpr std::size_t bytes = 65536;
    const std::unique_ptr<std::byte[]> source_memory(new std::byte[bytes]);
    const std::unique_ptr<std::byte[]> target_memory(new std::byte[bytes]);
    heap_type& first = heap_type::create_in(std::span(source_memory.get(), bytes));
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i < 100; ++i) {
        blocks.push_back(static_cast<std::byte*>(first.allocate(10 + i)));
        std::memset(blocks.back(), static_cast<int>(i), 10 + i);
    }
    for (std::size_t i = 0; i < 100; i += 3) {
        first.deallocate(blocks[i]);
    }
    mallard::core::unpoison(source_memory.get(), bytes);
    std::memcpy(target_memory.get(), source_memory.get(), bytes);
    std::memset(source_memory.get(), 0x41, bytes);

    heap_type& second = heap_type::open_in(target_memory.get());
    EXPECT_EQ(equipment::find_defect(second), "");
    EXPECT_EQ(second.use().used_blocks, 66U);
    for (std::size_t i = 0; i < 100; ++i) {
        if (i % 3 != 0) {
            std::byte* const p = target_memory.get() + (blocks[i] - source_memory.get());
            EXPECT_EQ(p[9 + i], static_cast<std::byte>(i));
            EXPECT_GE(second.usable_bytes(p), 10 + i);
            second.deallocate(p);
        }
    }
    EXPECT_NE(second.allocate(bytes / 2), nullptr);
    EXPECT_EQ(equipment::find_defect(second), "");
    mallard::core::unpoison(target_memory.get(), bytes);
}

#ifdef __cpp_exceptions

std::string refusal(auto call) {
    try {
        call();
    } catch (const mallard::refused_request& refused) {
        return refused.what();
    }
    return "";
}

std::string refusal_message(const void* region, std::size_t bytes) {
    std::array<char, 224> text{};
    std::snprintf(
        text.data(), text.size(),
        "mallard: a region of %zu bytes at %p is refused: a heap needs %zu bytes at the least, and a "
        "begin at a multiple of 16; make it larger, or align it by alignas",
        bytes, region, heap_type::least_region_bytes());
    return text.data();
}

std::string words_of_foreign(const void* region) {
    std::array<char, 224> text{};
    std::snprintf(
        text.data(), text.size(),
        "mallard: there is no heap in the region at %p: create one by create_in(), or open it with the "
        "mallard that made it",
        region);
    return text.data();
}

TEST(refused_regions, are_too_short) {
    alignas(16) static std::array<std::byte, 8192> memory;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, heap_type::least_region_bytes() - 1}) {
        EXPECT_EQ(refusal([&] { heap_type::create_in(std::span<std::byte>(memory).first(bytes)); }),
                  refusal_message(memory.data(), bytes));
    }
}

TEST(refused_regions, begin_at_the_wrong_place) {
    alignas(16) static std::array<std::byte, 65536> memory;
    for (const std::size_t from : {1U, 4U, 8U}) {
        const std::span<std::byte> region = std::span<std::byte>(memory).subspan(from);
        EXPECT_EQ(refusal([&] { heap_type::create_in(region); }),
                  refusal_message(region.data(), region.size()));
    }
}

TEST(refused_regions, hold_no_heap) {
    alignas(16) static std::array<std::byte, 65536> memory{};
    EXPECT_EQ(refusal([&] { heap_type::open_in(memory.data()); }), words_of_foreign(memory.data()));
    heap_type& heap = heap_type::create_in(memory);
    EXPECT_EQ(refusal([&] { heap_type::open_in(memory.data()); }), "");
    EXPECT_EQ(refusal([&] { heap_type::open_in(memory.data() + 8); }), words_of_foreign(memory.data() + 8));
    heap.give_up();
    EXPECT_EQ(refusal([&] { heap_type::open_in(memory.data()); }), words_of_foreign(memory.data()));
}

TEST(refused_regions, are_parts_of_a_heap) {
    alignas(16) static std::array<std::byte, 65536> memory{};
    const std::span<std::byte> region(memory);
    EXPECT_EQ(refusal([&] { heap_type::open_in(region); }), words_of_foreign(memory.data()));
    heap_type& heap = heap_type::create_in(region);
    EXPECT_EQ(&heap_type::open_in(region), &heap);
    for (const std::size_t bytes : {std::size_t{0}, heap_type::least_region_bytes() - 1}) {
        EXPECT_EQ(refusal([&] { heap_type::open_in(region.first(bytes)); }),
                  refusal_message(memory.data(), bytes));
    }
    std::array<char, 224> text{};
    std::snprintf(
        text.data(), text.size(),
        "mallard: the heap in the region at %p has 65536 bytes, and the region 65520: map all of it, "
        "unless the file was cut off",
        static_cast<void*>(memory.data()));
    EXPECT_EQ(refusal([&] { heap_type::open_in(region.first(65520)); }), text.data());
    heap.give_up();
}

#endif

} // namespace

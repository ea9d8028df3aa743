/// The system counts the mappings of a process, and refuses every further one if there are too many.
#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/space/reserved_range.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kib = 1024;

/// AddressSanitizer takes an eighth of each allocation for its notes.
constexpr std::size_t many = mallard::core::poisons_memory ? 6'000 : 40'000;

/// Returns: the number of mappings of the process; 0 if unknown.
std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) {
        ++count;
    }
    return count;
}

/// Returns: true if the system refuses reservations that are never touched.
bool refuses_to_promise() {
    int mode = 0;
    std::ifstream("/proc/sys/vm/overcommit_memory") >> mode;
    return mode == 2;
}

class mappings_for_threads : public ::testing::Test {
protected:
    void SetUp() override {
        if (refuses_to_promise()) {
            GTEST_SKIP() << "the system promises no more memory than it has";
        }
#ifdef __SANITIZE_THREAD__
        GTEST_SKIP() << "the sanitizer's shadow takes mappings too";
#endif
    }

    /// Effects: expects that others can have memory, and threads.
    static void expect_room_for_others(std::size_t old_mappings) {
        EXPECT_LT(mappings(), old_mappings + 3 * mallard::space::reserved_range::most_ranges);
        void* const p = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(p, MAP_FAILED);
        munmap(p, 4096);
        bool ran = false;
        std::thread([&ran] { ran = true; }).join();
        EXPECT_TRUE(ran);
    }
};

TEST_F(mappings_for_threads, are_bounded_where_one_has_many_large_blocks) {
    const std::size_t old_mappings = mappings();
    mallard::heap<> heap;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i != many; ++i) {
        blocks.push_back(heap.try_allocate(256 * kib));
        ASSERT_NE(blocks.back(), nullptr) << i;
    }
    expect_room_for_others(old_mappings);
    EXPECT_TRUE(heap.check_sanity().sound());
    EXPECT_GE(heap.use().used_blocks, many);

    // Every second one goes, so that the others lie apart.
    for (std::size_t i = 0; i < many; i += 2) {
        heap.deallocate(blocks[i]);
    }
    expect_room_for_others(old_mappings);
    heap.trim();
    expect_room_for_others(old_mappings);
    EXPECT_TRUE(heap.check_sanity().sound());
    for (std::size_t i = 1; i < many; i += 2) {
        heap.deallocate(blocks[i]);
    }
    heap.trim();
    EXPECT_EQ(heap.use().held_bytes, 0U);
}

TEST_F(mappings_for_threads, are_bounded_where_many_have_large_blocks) {
    const std::size_t old_mappings = mappings();
    const std::size_t old_ranges = mallard::space::reserved_range::count(); // of pools that outlast the tests
    std::vector<std::unique_ptr<mallard::heap<>>> heaps(200);
    for (auto& heap : heaps) {
        heap = std::make_unique<mallard::heap<>>();
        for (std::size_t i = 0; i != many / heaps.size(); ++i) {
            ASSERT_NE(heap->try_allocate(256 * kib), nullptr);
        }
    }
    expect_room_for_others(old_mappings);
    heaps.clear();
    EXPECT_EQ(mallard::space::reserved_range::count(), old_ranges);
    EXPECT_LT(mappings(), old_mappings + 1000);
}

/// Spare ranges of many heaps do not prevent a range for another heap.
TEST_F(mappings_for_threads, ranges_are_shared_fairly) {
    constexpr std::size_t idle = 2 * mallard::space::reserved_range::most_ranges / 3;
    std::vector<std::unique_ptr<mallard::heap<>>> heaps(idle);
    for (auto& heap : heaps) {
        heap = std::make_unique<mallard::heap<>>();
        heap->deallocate(heap->allocate(256 * kib));
    }
    EXPECT_LE(mallard::space::reserved_range::count(), mallard::space::reserved_range::most_ranges / 2);
    EXPECT_GT(mallard::space::reserved_range::count(), mallard::space::reserved_range::most_ranges / 4);
}

/// A few large blocks, as of vectors, grow in place. If there are too many, further ones are blocks like others.
TEST_F(mappings_for_threads, leave_no_room_to_grow_beyond_the_bound) {
    mallard::heap<> heap;
    void* const vector = heap.allocate(256 * kib);
    std::vector<void*> others;
    while (mallard::space::reserved_range::count() != mallard::space::reserved_range::most_ranges) {
        others.push_back(heap.allocate(256 * kib));
    }
    EXPECT_EQ(heap.stats().chunks, 0U);
    const mallard::expansion_request request{
        .least_bytes = 4096 * kib, .preferred_bytes = 4096 * kib, .allowed = mallard::expansion::forward};
    EXPECT_EQ(heap.expand(vector, request).p, vector);
    void* const late = heap.allocate(300 * kib);
    EXPECT_EQ(heap.stats().chunks, 1U);
    EXPECT_LT(heap.stats().chunk_bytes, 1024 * kib)
        << "in small pages, so that memory comes as it is touched";
    EXPECT_EQ(heap.expand(late, request).p, nullptr);
    heap.deallocate(others.back());
    void* const ranged = heap.allocate(300 * kib);
    EXPECT_EQ(heap.stats().chunks, 1U);
    EXPECT_EQ(heap.expand(ranged, request).p, ranged) << "there is a range again";
    EXPECT_TRUE(heap.check_sanity().sound());
}

} // namespace
